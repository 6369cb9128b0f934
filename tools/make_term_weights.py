"""Writes src/nearcopy/kernels/term_weights.txt: how much the common terms of articles weigh.

    python tools/make_term_weights.py ../shared/data

Terms are counted over distinct articles, language by language; a term's share is the largest it
has in any of them, so that the stop words of every language are light. Its weight, in hundredths,
is ln((N + 1) / (N * share + 1)): the idf, levelling off among rare terms. Only terms of many
articles are written: the first letters of common vocabulary, no text.
"""

import gzip
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from math import log
from pathlib import Path

from nearcopy.kernels import words
from nearcopy.kernels.reference.term_profiles import profile_terms

TARGET = Path(__file__).parents[1] / "src/nearcopy/kernels/term_weights.txt"
LANGUAGES = {"semeval22": None, "saudi-july": "ar", "allsides": "en", "bbc": "en", "wikinews": "en"}
SATURATION = 200  # N: a term in fewer than one of so many articles weighs nearly as an unknown one
LEAST_SHARE = 0.005
LEAST_ARTICLES = 5
FEW_ARTICLES = 300  # added to each language, so that a word or two of few articles say little
MOST_TERMS = 8000
# No articles of unspaced scripts are at hand: the characters that any text is full of, by name.
UNSPACED = "的一是在不了有和人这中大为上个国我以要他时来用们到说就也子得可下自之年日月"
UNSPACED += "のにはをたがでてとしれさあるいもするからなこくまっんりらよりスンル"
UNSPACED_SHARE = 0.5
# Nor of these languages: their commonest words, by name.
FUNCTION_WORDS = """
के में का की को ने से है और पर यह वह कि भी हैं था थी थे एक लिए गया गई गए किया कर करने हो होने
तक साथ बाद नहीं अब इस उस जो तो ही या अपने वाले दिया रहा रही रहे सकता जाने कहा बताया दो दिन लोग
समय и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее
мне было вот от меня еще нет о из ему теперь когда даже ну ли если уже или ни быть был него до
вас нибудь вам сказал также этот эта это которые который года после об при для их і й та що як
це до від за про не на у в з із але він вона вони був була було або також які який року після
il lo la gli di che non per una con sono del della nel alla dei delle anche come piu ma suo
questo stato o os as um uma do da dos das em no na nos nas por para com nao mais mas foi ao
pela pelo tambem entre de het een van en dat die in te niet op voor met zijn aan er om ook als
bij door maar naar heeft werd yang dan di ini itu dengan untuk pada dari dalam tidak akan juga
telah oleh sebagai karena mereka در به از که این را با است برای آن یک خود تا بر بود شد شده کرد
های می هم نیز گفت اور کے میں کی کا کو نے سے ہے پر یہ وہ کہ بھی ہیں تھا تھی ایک گیا کیا کر
"""
FUNCTION_SHARE = 0.3
HEAD = """\
# How much a term weighs in an article, in hundredths; * is any other.
# Made by tools/make_term_weights.py.
"""


def main() -> None:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    sizes: Counter[str] = Counter()
    for language, article in sorted(set(read(Path(sys.argv[1])))):
        sizes[language] += 1
        counts[language].update({term for term, _ in profile_terms(words(article))})
    shares = common(counts, sizes)
    weights = {"*": weight(0)} | {term: weight(share) for term, share in shares.items()}
    lines = [f"{weights[term]} {term}\n" for term in sorted(weights)]
    TARGET.write_text(HEAD + "".join(lines), encoding="utf-8")
    print(f"{TARGET}: {len(lines)} terms of {dict(sizes)} articles, {TARGET.stat().st_size} B")


def read(folder: Path) -> Iterator[tuple[str, str]]:
    """(language, title and text) of every article."""
    for name, language in LANGUAGES.items():
        with gzip.open(folder / name / "articles.jsonl.gz", "rt", encoding="utf-8") as lines:
            for article in map(json.loads, lines):
                text = f"{article.get('title') or ''}\n{article.get('text') or ''}"
                yield language or article["lang"], text[:100_000]


def common(counts: dict[str, Counter[str]], sizes: Counter[str]) -> dict[str, float]:
    """The commonest terms, with the largest share each has in a language."""
    named = {term for term, _ in profile_terms(words(FUNCTION_WORDS))}
    shares = dict.fromkeys(UNSPACED, UNSPACED_SHARE) | dict.fromkeys(named, FUNCTION_SHARE)
    for language, count in counts.items():
        for term, seen in count.items():
            share = seen / (sizes[language] + FEW_ARTICLES)
            if seen >= LEAST_ARTICLES and share >= LEAST_SHARE:
                shares[term] = max(share, shares.get(term, 0))
    return {
        term: shares[term] for term in sorted(shares, key=lambda t: (-shares[t], t))[:MOST_TERMS]
    }


def weight(share: float) -> int:
    return max(1, round(100 * log((SATURATION + 1) / (SATURATION * share + 1))))


if __name__ == "__main__":
    main()
