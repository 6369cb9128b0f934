"""`nearcopy recluster`: cluster all articles of a store again."""

from nearcopy.cli.options import JsonOption, PolicyOptions, StoreOptions, flag
from nearcopy.cli.terminal import format_count, note, write_json_lines


def recluster(
    store: StoreOptions,
    decisions: PolicyOptions,
    learn: bool = flag("First count term frequencies; common terms weigh less.", None),
    as_json: JsonOption = False,
) -> None:
    """Cluster all articles of a store again, in one batch."""
    from nearcopy.cli.open_store import open_existing

    with open_existing(store, decisions) as deduper:
        if learn:
            terms = deduper.learn()
            note(
                f"counted {format_count(len(terms.hashes), 'common term')} in "
                f"{format_count(terms.articles, 'article')}: they weigh less from now on"
            )
        else:
            deduper.recluster()
        stories = sum(len(story.members) > 1 for story in deduper.stories())
    if as_json:
        write_json_lines([{"stories": stories, "learned": learn}])
    note(f"stories of several articles: {stories:,}")
