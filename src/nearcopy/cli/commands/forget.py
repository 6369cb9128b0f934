"""`nearcopy forget`: remove articles from a store, by id."""

from nearcopy.cli.options import JsonOption, StoreOptions, YesOption, argument
from nearcopy.cli.terminal import confirm, format_count, note, one_line, write_json_lines

MAX_LISTED = 20  # articles listed before the question


def forget(
    ids: list[str] = argument("ID", "Articles in the store."),
    *,
    store: StoreOptions,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Remove articles from a store, by id."""
    from nearcopy.cli.open_store import open_existing

    with open_existing(store) as deduper:
        stored = deduper.articles(ids)
        titles = {id_: stored[id_].title if id_ in stored else None for id_ in ids}
        present = [id_ for id_ in titles if id_ in stored]
        missing = [id_ for id_ in titles if id_ not in stored]
        _list_articles(titles)
        question = f"Forget {format_count(len(present), 'article')} from {deduper.address}?"
        confirmed = bool(present) and confirm(question, yes)
        count = deduper.forget(present) if confirmed else 0
    if as_json:
        ids = present if confirmed else []
        write_json_lines([{"forgotten": count, "ids": ids, "missing": missing}])
    note(f"forgot {format_count(count, 'article')}")


def _list_articles(titles: dict[str, str | None]) -> None:
    for id_, title in list(titles.items())[:MAX_LISTED]:
        note(f"  {one_line(id_)}: {'not in the store' if title is None else one_line(title)}")
    if len(titles) > MAX_LISTED:
        note(f"  and {len(titles) - MAX_LISTED} more")
