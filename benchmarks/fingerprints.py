"""From raw text to SimHash and MinHash, beside the peers and by ourselves."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import Any

import corpora
from context import Context
from nearcopy import Article, Recipe, fingerprints, kernels
from results import Bar, Measurement, Work, race, rate
from timing import Contender, Timing, interleaved, one_core, timed, wall

LEVELS = ("baseline", "avx2", "avx512")


@dataclass(frozen=True, slots=True)
class Rival:
    """A peer's way from text to signature: where it is found, and by how much to beat it."""

    package: str
    title: str
    job: str
    work: str
    bar: float | None = None


GAOYA_SIMHASH = Rival("gaoya", "gaoya SimHash", "gaoya", "simhash")
GAOYA_MINHASH = Rival("gaoya", "gaoya MinHash", "gaoya", "minhash", bar=10)
ENGLISH = (
    GAOYA_MINHASH,
    GAOYA_SIMHASH,
    Rival("rensa", "rensa RMinHash", "rensa", "text", bar=20),
    Rival("datasketch", "datasketch MinHash, xxh32", "datasketch", "text", bar=40),
)
OTHERS = (replace(ENGLISH[0], bar=5), GAOYA_SIMHASH)
RENSA_SKETCH = Rival("rensa", "rensa RMinHash, shingles ready", "rensa_sketch", "sketch")


def english(context: Context) -> Iterator[Measurement]:
    """English news beside all peers."""
    corpus = corpora.english(context.sizes.articles)
    yield from beside(context, "English news", corpus, ENGLISH, "word")
    yield from beside(context, "English news", corpus, (RENSA_SKETCH,), "word")


def arabic(context: Context) -> Iterator[Measurement]:
    """Arabic news beside gaoya."""
    corpus = corpora.arabic(context.sizes.articles)
    yield from beside(context, "Arabic news", corpus, OTHERS, "word")


def chinese(context: Context) -> Iterator[Measurement]:
    """Chinese text beside gaoya, whose words would be whole sentences there: three characters."""
    corpus = corpora.chinese(context.sizes.articles)
    yield from beside(context, "Chinese text", corpus, OTHERS, "char")


def beside(
    context: Context,
    language: str,
    corpus: corpora.Corpus,
    rivals: Sequence[Rival],
    analyzer: str,
) -> Iterator[Measurement]:
    """Our rate beside the rivals', in rounds of each in turn."""
    present = [rival for rival in rivals if context.has(rival.package)]
    _prepare(context, {rival.job for rival in present}, corpus.texts, analyzer)
    contenders, ways = [Contender("nearcopy", _sketching(corpus.texts))], {}
    for rival in present:
        assert context.worker
        contender, ways[rival] = context.worker.contender(rival.title, rival.job, rival.work)
        contenders.append(contender)
    context.say(f"{language}: {', '.join(contender.name for contender in contenders)}")
    with one_core():
        timings = interleaved(contenders, context.sizes.rounds)
    _drop(context, ways)
    yield from _lines(language, corpus, rivals, timings, ways)


def objects(context: Context) -> Iterator[Measurement]:
    """`fingerprints()`, all that is remembered of an article, beside gaoya of its text."""
    whole = _articles(context.sizes.articles)
    bare = [Article(id=article.id, text=article.text) for article in whole]
    contenders = [
        Contender("whole", lambda: timed(lambda: list(fingerprints(whole)))),
        Contender("bare", lambda: timed(lambda: list(fingerprints(bare)))),
    ]
    if context.has(GAOYA_MINHASH.package):
        assert context.worker
        _prepare(context, {GAOYA_MINHASH.job}, [article.text for article in whole], "word")
        rival = GAOYA_MINHASH
        contenders.append(context.worker.contender(rival.title, rival.job, rival.work)[0])
    with one_core():
        timings = interleaved(contenders, context.sizes.rounds)
    if context.worker:
        context.worker.ask("drop", job=GAOYA_MINHASH.job)
    gaoya, note = timings.get(GAOYA_MINHASH.title), "an object an article; "
    yield _beside_gaoya(
        Work("fingerprints", "`fingerprints()` of texts alone", "docs/s", len(bare)),
        timings["bare"],
        gaoya,
        note=note + "sketch, digest, numerals, profile, technical details",
    )
    yield _beside_gaoya(
        Work("everything", "`fingerprints()` with everything", "docs/s", len(whole)),
        timings["whole"],
        gaoya,
        bar=Bar(">=", 4),
        note=note + "the same with title, facts, names, stages, column, addresses, block_page",
    )


def levels(context: Context) -> Iterator[Measurement]:
    """The rate of each level of the kernels this processor has."""
    if kernels.native is None:
        return
    corpus = corpora.english(context.sizes.articles)
    best, sketching = kernels.native.level(), _sketching(corpus.texts)
    supported = [level for level in LEVELS if kernels.native.use_level(level) == level]
    with one_core():
        timings = interleaved(
            [Contender(level, _at_level(level, sketching)) for level in supported],
            context.sizes.rounds,
        )
    kernels.native.use_level(best)
    for level in supported:
        title = f"text to SimHash + MinHash, English news, {level} kernels"
        yield rate(Work(f"level/{level}", title, "docs/s", len(corpus.texts)), timings[level])


def html(context: Context) -> Iterator[Measurement]:
    """How many megabytes of HTML are stripped in a second."""
    pages = corpora.html_pages()
    if not pages:
        context.say("html: no pages in ../shared/data/html-pages, left out")
        return
    megabytes = sum(len(page.encode("utf-8", "replace")) for page in pages) / 1e6
    with one_core():
        timings = [
            timed(lambda: [kernels.strip_html(page) for page in pages])
            for _ in range(context.sizes.rounds)
        ]
    yield rate(Work("html", f"HTML to text, {len(pages)} news pages", "MB/s", megabytes), timings)


def threads(context: Context) -> Iterator[Measurement]:
    """Two threads over one, on as many cores as there are."""
    texts = corpora.english(context.sizes.articles).texts
    timings = interleaved(
        [
            Contender("two", _sketching(texts, threads=2)),
            Contender("one", _sketching(texts, threads=1)),
        ],
        context.sizes.rounds,
    )
    work = Work("threads", "text to SimHash + MinHash, two threads", "docs/s", len(texts))
    bar = Bar(">=", 1.7)
    line = race(work, timings["two"], timings["one"], "one thread", clock=wall, bar=bar)
    had = line.details["core_share"]
    yield replace(line, note=f"the two threads had {had:.2f} of two cores")


def _beside_gaoya(
    work: Work, ours: list[Timing], theirs: list[Timing] | None, **given: Any
) -> Measurement:
    if theirs is None:
        return rate(work, ours, against=GAOYA_MINHASH.title, **given)
    return race(work, ours, theirs, GAOYA_MINHASH.title, **given)


def _articles(count: int) -> list[Article]:
    """English news with all it came with, or edited copies of the examples' texts, untitled."""
    if not (corpora.DATA / "allsides").is_dir():
        texts = corpora.english(count).texts
        return [Article(id=str(place), text=text) for place, text in enumerate(texts)]
    return [_article(row) for row in islice(_long(corpora.articles("allsides")), count)]


def _long(rows: Iterable[dict[str, str]]) -> Iterator[dict[str, str]]:
    least = corpora.LEAST_WORDS
    return (row for row in rows if len((row.get("text") or "").split(None, least)) > least)


def _article(row: dict[str, str]) -> Article:
    published = row.get("published")
    return Article(
        id=row["id"],
        title=row.get("title") or "",
        text=row["text"],
        url=row.get("url"),
        source=row.get("source"),
        published=datetime.fromisoformat(published) if published else None,
    )


def _sketching(texts: list[str], threads: int = 1) -> Callable[[], Timing]:
    recipe = Recipe()
    return lambda: timed(lambda: kernels.sketch(texts, recipe, threads=threads))


def _at_level(level: str, run: Callable[[], Timing]) -> Callable[[], Timing]:
    def at_level() -> Timing:
        kernels.native.use_level(level)
        return run()

    return at_level


def _prepare(context: Context, jobs: set[str], texts: list[str], analyzer: str) -> None:
    path = context.texts("texts", texts)
    for job in sorted(jobs):
        assert context.worker
        options = {"analyzer": analyzer} if job == "gaoya" else {}
        context.worker.ask("prepare", module="peer_texts", job=job, texts=path, **options)


def _drop(context: Context, ways: dict[Rival, str]) -> None:
    for job in {rival.job for rival in ways}:
        assert context.worker
        context.worker.ask("drop", job=job)


def _lines(
    language: str,
    corpus: corpora.Corpus,
    rivals: Sequence[Rival],
    timings: dict[str, list[Timing]],
    ways: dict[Rival, str],
) -> Iterator[Measurement]:
    """A measurement for every rival, and for gaoya's two indexes together."""
    own_timings = timings["nearcopy"]
    title = f"text to SimHash + MinHash, {language}"
    for rival in rivals:
        work = Work(f"{language}/{rival.title}", title, "docs/s", len(corpus.texts))
        bar = Bar(">=", rival.bar) if rival.bar else None
        if rival in ways:
            note = f"{corpus.source}; {rival.title} by {ways[rival]}"
            yield race(work, own_timings, timings[rival.title], rival.title, bar=bar, note=note)
        else:
            yield rate(
                work, own_timings, against=rival.title, bar=bar, note=f"{rival.package} is absent"
            )
    if {"gaoya MinHash", "gaoya SimHash"} <= timings.keys():
        both = _sums(timings["gaoya MinHash"], timings["gaoya SimHash"])
        work = Work(f"{language}/gaoya both", title, "docs/s", len(corpus.texts))
        yield race(work, own_timings, both, "gaoya MinHash, then SimHash", note=corpus.source)


def _sums(some: Sequence[Timing], others: Sequence[Timing]) -> list[Timing]:
    return [Timing(a.wall + b.wall, a.cpu + b.cpu) for a, b in zip(some, others, strict=True)]
