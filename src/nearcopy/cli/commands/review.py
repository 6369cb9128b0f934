"""`nearcopy review`: borderline pairs, for a user to decide."""

import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

from rich.text import Text

from nearcopy.cli.options import JsonOption, LimitOption, PolicyOptions, StoreOptions, flag
from nearcopy.cli.tables import add_row, make_table
from nearcopy.cli.terminal import (
    format_count,
    is_interactive,
    note,
    one_line,
    print_error,
    show,
    write_json_lines,
)
from nearcopy.errors import BadFeedback
from nearcopy.models import Article

if TYPE_CHECKING:
    from nearcopy.deduper.deduper import Deduper
    from nearcopy.deduper.review_queue import BorderlinePair

Pair = tuple[str, str]
PAGE = 20
SNIPPET_CHARS = 400  # of a text that are shown
MAX_HTML_CHARS = 10_000  # of a text that are stripped of markup for the snippet
KEYS = {"s": "same", "d": "different", "u": "update"}
QUESTION = "s same, d different, u update, Enter next, z undo, q quit: "


def review(
    store: StoreOptions,
    decisions: PolicyOptions,
    limit: LimitOption = 20,
    list_: bool = flag("List the pairs without asking.", None),
    as_json: JsonOption = False,
) -> None:
    """Review borderline pairs, and record feedback on them."""
    from nearcopy.cli.open_store import open_existing
    from nearcopy.io.serializers import review_row

    with open_existing(store, decisions) as deduper:
        pairs = islice(_read_pages(deduper), limit)
        if as_json:
            write_json_lines(map(review_row, pairs))
        elif list_ or not _can_ask():
            _list(deduper, list(pairs))
        else:
            _ask_all(deduper, pairs)


def _can_ask() -> bool:
    return is_interactive() and sys.stdout.isatty()


def _read_pages(deduper: "Deduper") -> Iterator["BorderlinePair"]:
    """All borderline pairs, one page read at a time."""
    page = deduper.review(limit=PAGE)
    yield from page.pairs
    while page.after is not None:
        page = deduper.review(limit=PAGE, after=page.after)
        yield from page.pairs


def _list(deduper: "Deduper", pairs: list["BorderlinePair"]) -> None:
    articles = deduper.articles({id_ for pair in pairs for id_ in pair.edge[:2]})
    table = make_table(
        *("a", "b", "is", "sure", "threshold", "margin", "titles"),
        numbers=["sure", "margin"],
        optional=["titles", "threshold"],
    )
    for pair in pairs:
        edge = pair.edge
        titles = " / ".join(articles[id_].title for id_ in edge[:2] if id_ in articles)[:200]
        decision = _describe_decision(pair), edge.decision.confidence
        add_row(table, edge.a, edge.b, *decision, pair.threshold, f"{pair.margin:.3f}", titles)
    show(table)
    note(f"{format_count(len(pairs), 'pair')}; `nearcopy review` on a terminal asks about each")


def _describe_decision(pair: "BorderlinePair") -> str:
    decision = pair.edge.decision
    return f"{decision.relation}, {'a duplicate' if decision.duplicate else 'no duplicate'}"


def _ask_all(deduper: "Deduper", pairs: Iterable["BorderlinePair"]) -> None:
    """Ask about one pair after another; each answer is recorded at once."""
    reviewed: list[Pair] = []
    count = 0
    for count, pair in enumerate(pairs, start=1):
        show(*_render_pair(deduper, pair, count))
        if not _ask(deduper, pair, reviewed):
            break
    if not count:
        note("no borderline pair is without feedback: try again when more articles were added")
        return
    note(
        f"feedback on {format_count(len(reviewed), 'pair')}; `nearcopy tune` fits the policy to it"
    )


def _render_pair(deduper: "Deduper", pair: "BorderlinePair", number: int) -> Iterator[Text]:
    from nearcopy.deduper.review_queue import THRESHOLDS

    edge = pair.edge
    articles = deduper.articles(edge[:2])
    confidence = f"confidence {edge.decision.confidence:.2f}"
    yield Text(f"\n{number}. {_describe_decision(pair)}, {confidence}", "bold")
    threshold = THRESHOLDS.get(pair.threshold, pair.threshold)
    margin = f"{pair.margin:.3f} from a threshold: {threshold}"
    yield Text(f"{one_line(edge.decision.reason)}; {margin}")
    for letter, id_ in zip("AB", edge[:2], strict=True):
        yield _render_article(letter, id_, articles.get(id_))


def _render_article(letter: str, id_: str, article: Article | None) -> Text:
    if article is None:
        return Text(f"{letter}  {one_line(id_)}: no longer in the store")
    published = f"{article.published:%Y-%m-%d %H:%M}" if article.published else None
    origin = [part for part in (id_, article.source, published) if part]
    text = Text(f"{letter}  {' · '.join(map(one_line, origin))}\n", "dim")
    text.append(f"   {one_line(article.title)}\n", "not dim bold")
    text.append(f"   {_snippet(article)}", "not dim")
    return text


def _snippet(article: Article) -> str:
    from nearcopy.extract.text import plain_text

    plain = one_line(plain_text(article.text[:MAX_HTML_CHARS], html=article.html))
    return plain if len(plain) <= SNIPPET_CHARS else plain[:SNIPPET_CHARS].rstrip() + "…"


def _ask(deduper: "Deduper", pair: "BorderlinePair", reviewed: list[Pair]) -> bool:
    """Ask until the pair has feedback or is skipped; whether to go on."""
    from nearcopy.deduper.review_queue import ANSWERS

    while True:
        try:
            key = input(QUESTION).strip().lower()[:1]
        except EOFError:
            return False
        if key in ("", "n"):
            return True
        if key == "q":
            return False
        if key == "z":
            _undo(deduper, reviewed)
        elif key in KEYS and _record(deduper, pair.edge[:2], **ANSWERS[KEYS[key]]):
            reviewed.append(pair.edge[:2])
            return True


def _record(deduper: "Deduper", pair: Pair, **answer: object) -> bool:
    """Record feedback; False where it contradicts earlier feedback."""
    try:
        moved = len(deduper.feedback(*pair, **answer).changes)  # type: ignore[arg-type]
    except BadFeedback as error:
        print_error(str(error))
        return False
    note(f"recorded; {format_count(moved, 'article')} moved")
    return True


def _undo(deduper: "Deduper", reviewed: list[Pair]) -> None:
    if not reviewed:
        note("there is nothing to undo")
        return
    a, b = reviewed.pop()
    deduper.retract_feedback(a, b)
    note(f"retracted: {one_line(a)} and {one_line(b)}")
