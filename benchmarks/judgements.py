"""How the default policy judges the labelled news, each line with its bar."""

from collections.abc import Callable, Iterator
from statistics import correlation

import corpora
import near_relations
import relations
from nearcopy import POLICIES, Article, Policy, compare, fingerprints
from results import Bar, Measurement

# What the default policy merges in allsides, each pair looked at: what they share, and what not.
LOOKED_AT = {
    ("l725", "l9564"): "a post of a sentence or two over a quotation of nearly all of the other",
    ("l967", "l4145"): "one agency's story in two papers, retitled",
    ("l2148", "l2191"): "one address, and the one text holds all of the other",
    ("l8351", "l10317"): "one column in two papers, edited and retitled",
}


def judgements() -> Iterator[Measurement]:
    """All that can be judged of the sets that are here."""
    policy = POLICIES["default"]
    sets: dict[str, Callable[[Policy], Iterator[Measurement]]] = {
        "near-relations": notices,
        "headline-pairs": headlines,
        "sts-headlines": graded,
        "uci-titles": wild,
        "allsides": merges,
    }
    for name, judge in sets.items():
        if (corpora.DATA / name).is_dir():
            yield from judge(policy)


def notices(policy: Policy) -> Iterator[Measurement]:
    """Copies against notices of one form: by the numerals alone, then by the policy."""
    found = near_relations.labelled()
    templates = next(each for each in found if each.kind == "template")
    copies = [each for each in found if each.kind != "template"]
    kept = 1 - sum(each.templates for each in copies) / sum(each.pairs for each in copies)
    yield _share("notices told apart, numerals alone", templates.right, 0.89, templates.pairs)
    yield _share("copies kept, numerals alone", kept, 0.98, sum(each.pairs for each in copies))
    judged = relations.apart_and_kept(relations.near_relations(policy))
    yield _share("notices told apart", judged["templates_apart"], 0.89, judged["templates"])
    yield _share("copies found", judged["copies_kept"], 0.98, judged["copies"])


def headlines(policy: Policy) -> Iterator[Measurement]:
    """Hard pairs of headlines: "same" against updates and other news."""
    for name, timed in (("titles alone", False), ("with the times half of them have", True)):
        pairs = relations.headline_pairs(policy, timed=timed)
        found = relations.f1(pairs)
        yield Measurement(
            f"headlines/{'timed' if timed else 'titles'}",
            f"F1 of the same news, hard headlines, {name}",
            "",
            found["f1"],
            bar=Bar(">=", 0.78),
            note=f"{len(pairs)} pairs",
            details={"precision": found["precision"], "recall": found["recall"]},
        )


def graded(_: Policy) -> Iterator[Measurement]:
    """The soft cosine of titles beside people's grades."""
    rows = relations.rows("sts-headlines")
    soft, grades = [], []
    for row in rows:
        a, b = (Article(id=side, title=row[f"title_{side}"]) for side in "ab")
        soft.append(compare(*fingerprints([a, b])).title_soft or 0.0)
        grades.append(float(row["similarity"]))
    yield Measurement(
        "headlines/graded",
        "Pearson of the soft cosine with people's grades",
        "",
        correlation(soft, grades),
        note=f"{len(rows)} pairs",
    )


def wild(policy: Policy) -> Iterator[Measurement]:
    """Headlines as they come, by the stories that a machine once put them in."""
    found, _ = relations.merges("uci-titles", policy)
    story = relations.clusters("uci-titles")
    right = sum(story[each.a.id] == story[each.b.id] for each in found)
    yield Measurement(
        "headlines/wild",
        "merged headlines that are of one story",
        "share",
        right / max(1, len(found)),
        note=f"{len(found):,} pairs of {len(story):,} headlines",
    )


def merges(policy: Policy) -> Iterator[Measurement]:
    """Articles on the same subjects: which of them are merged, and has anyone looked at those?"""
    found, common = relations.merges("allsides", policy)
    pairs = [tuple(sorted((each.a.id, each.b.id), key=_number)) for each in found]
    yield Measurement(
        "allsides/merged",
        "pairs of 12,000 articles merged that nobody has found to be copies",
        "pairs",
        sum(pair not in LOOKED_AT for pair in pairs),
        bar=Bar("<=", 0),
        note=f"{len(pairs)} merged, each looked at; {common} keys too common to propose pairs",
        details={"merged": [" ".join(pair) for pair in pairs]},
    )


def _number(article: str) -> int:
    return int(article[1:])


def _share(work: str, value: float, least: float, pairs: float) -> Measurement:
    return Measurement(
        f"notices/{work}", work, "share", value, bar=Bar(">=", least), note=f"{pairs:.0f} pairs"
    )
