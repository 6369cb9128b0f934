"""`nearcopy review`: pairs that were nearly decided otherwise, for people to have the last word."""

import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from nearcopy.cli.options import (
    JsonOption,
    PolicyOption,
    PoolOption,
    StoreOption,
    WindowOption,
    store_address,
)
from nearcopy.cli.terminal import (
    add_row,
    can_ask,
    counted,
    failed,
    in_a_line,
    noted,
    reported,
    show,
    table,
    write_lines,
)
from nearcopy.errors import BadFeedback
from nearcopy.io.settings import settings

if TYPE_CHECKING:
    from nearcopy.deduper.deduper import Deduper
    from nearcopy.deduper.feedback.review_queue import Borderline
    from nearcopy.models.model import Article

Pair = tuple[str, str]
Limit = Annotated[int, typer.Option("--limit", metavar="N", min=1, help="So many pairs.")]
List = Annotated[bool, typer.Option("--list", help="List them, and ask nothing.")]
PAGE = 20
BEGINNING = 400  # characters of a text
LONG = 10_000  # that are looked at for these, where it is HTML
KEYS = {"s": "same", "d": "different", "u": "update"}
QUESTION = "s same, d different, u update, Enter next, z take back, q quit: "


@reported
def review(
    limit: Limit = 20,
    list_: List = False,
    store: StoreOption = None,
    pool: PoolOption = None,
    policy: PolicyOption = None,
    window: WindowOption = None,
    as_json: JsonOption = False,
) -> None:
    """Pairs that were nearly decided otherwise: say what they are."""
    from nearcopy.cli.open_store import reading
    from nearcopy.io.serializers.answers import review_row

    with reading(store_address(store), *settings(None, policy, window), pool=pool) as deduper:
        pairs = islice(_pairs(deduper), limit)
        if as_json:
            write_lines(map(review_row, pairs))
        elif list_ or not _somebody_is_there():
            _list(deduper, list(pairs))
        else:
            _ask(deduper, pairs)


def _somebody_is_there() -> bool:
    return can_ask() and sys.stdout.isatty()


def _pairs(deduper: "Deduper") -> Iterator["Borderline"]:
    """All pairs near a line, looked for as they are asked for."""
    found = deduper.review(limit=PAGE)
    yield from found.pairs
    while found.after is not None:
        found = deduper.review(limit=PAGE, after=found.after)
        yield from found.pairs


def _list(deduper: "Deduper", pairs: list["Borderline"]) -> None:
    titles = deduper.articles({name for each in pairs for name in each.edge[:2]})
    shown = table(
        *("a", "b", "is", "sure", "line", "off", "titles"),
        numbers=["sure", "off"],
        least=["titles", "line"],
    )
    for each in pairs:
        edge = each.edge
        both = " / ".join(titles[name].title for name in edge[:2] if name in titles)
        sure = edge.decision.confidence
        kind = _kind(each)
        add_row(shown, edge.a, edge.b, kind, sure, each.line, f"{each.margin:.3f}", both[:200])
    show(shown)
    noted(f"{counted(len(pairs), 'pair')}; `nearcopy review` on a terminal asks about each")


def _kind(pair: "Borderline") -> str:
    decision = pair.edge.decision
    return f"{decision.relation}, {'a duplicate' if decision.duplicate else 'no duplicate'}"


def _ask(deduper: "Deduper", pairs: Iterable["Borderline"]) -> None:
    """Ask about one pair after another; what is said holds at once."""
    said: list[Pair] = []
    count = 0
    for count, pair in enumerate(pairs, start=1):
        show(*_shown(deduper, pair, count))
        if not _answered(deduper, pair, said):
            break
    if not count:
        noted("no pair is near a line that nobody has spoken of: come back when more have come")
        return
    noted(f"{counted(len(said), 'pair')} spoken of; `nearcopy tune` fits the policy to them")


def _shown(deduper: "Deduper", pair: "Borderline", number: int) -> Iterator[Text]:
    from nearcopy.deduper.feedback.review_queue import LINES

    edge = pair.edge
    articles = deduper.articles(edge[:2])
    yield Text(f"\n{number}. {_kind(pair)}, confidence {edge.decision.confidence:.2f}", "bold")
    by = LINES.get(pair.line, pair.line)
    yield Text(f"{in_a_line(edge.decision.reason)}; {pair.margin:.3f} from a line, by {by}")
    for letter, name in zip("AB", edge[:2], strict=True):
        yield _side(letter, name, articles.get(name))


def _side(letter: str, name: str, article: "Article | None") -> Text:
    if article is None:
        return Text(f"{letter}  {in_a_line(name)}: gone by now")
    when = f"{article.published:%Y-%m-%d %H:%M}" if article.published else None
    about = [each for each in (name, article.source, when) if each]
    made = Text(f"{letter}  {' · '.join(map(in_a_line, about))}\n", "dim")
    made.append(f"   {in_a_line(article.title)}\n", "not dim bold")
    made.append(f"   {_beginning(article)}", "not dim")
    return made


def _beginning(article: "Article") -> str:
    from nearcopy.extract.text import strip_html

    text = article.text[:LONG]
    plain = in_a_line(strip_html(text) if article.html else text)
    return plain if len(plain) <= BEGINNING else plain[:BEGINNING].rstrip() + "…"


def _answered(deduper: "Deduper", pair: "Borderline", said: list[Pair]) -> bool:
    """Ask until it is said what the pair is, or passed over; whether to go on."""
    from nearcopy.deduper.feedback.review_queue import ANSWERS

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
            _take_back(deduper, said)
        elif key in KEYS and _told(deduper, pair.edge[:2], **ANSWERS[KEYS[key]]):
            said.append(pair.edge[:2])
            return True


def _told(deduper: "Deduper", pair: Pair, **what: object) -> bool:
    """Say it; whether nothing that was said before contradicts it."""
    try:
        changed = len(deduper.feedback(*pair, **what).changes)  # type: ignore[arg-type]
    except BadFeedback as wrong:
        failed(str(wrong))
        return False
    noted(f"said; {counted(changed, 'article')} changed places")
    return True


def _take_back(deduper: "Deduper", said: list[Pair]) -> None:
    if not said:
        noted("nothing was said yet")
        return
    a, b = said.pop()
    deduper.take_back(a, b)
    noted(f"taken back: {in_a_line(a)} and {in_a_line(b)}")
