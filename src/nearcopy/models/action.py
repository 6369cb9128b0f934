"""Acts: what people did to a story, as it stands in the journal."""

import json
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

Pair = tuple[str, str]


class Deed(StrEnum):
    """What can be done to a story."""

    KEEP = "keep"  # another copy than the rules would
    SPLIT = "split"  # a member off
    MERGE = "merge"  # with another story


class Moved(NamedTuple):
    """An article that an act put into another story."""

    id: str
    story_id: str
    story_before: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """What somebody did, when, and whether it was undone."""

    number: int  # of the journal, ascending
    deed: Deed
    article: str
    other: str | None = None  # the kept copy of the story that it was merged with
    by: str = ""
    note: str = ""
    when: datetime
    pairs: tuple[Pair, ...] = ()  # what was told of them: by a merge the same, else different
    moved: tuple[Moved, ...] = ()
    undone: datetime | None = None
    undone_by: str = ""

    @property
    def keeps(self) -> str | None:
        """The article that is preferred by this, as long as it is not undone."""
        return self.article if self.deed is Deed.KEEP and self.undone is None else None


def act_json(act: Act) -> str:
    """The act as one line of ASCII, whatever its texts."""
    fields = {name: getattr(act, name) for name in act.__dataclass_fields__}
    times = {name: fields[name] and fields[name].isoformat() for name in ("when", "undone")}
    return json.dumps(fields | times, separators=(",", ":"))


def act_of(text: str | bytes) -> Act:
    """The act again."""
    made = Act(**json.loads(text))
    return replace(
        made,
        deed=Deed(made.deed),
        when=datetime.fromisoformat(str(made.when)),
        undone=datetime.fromisoformat(str(made.undone)) if made.undone else None,
        pairs=tuple((a, b) for a, b in made.pairs),
        moved=tuple(Moved(*each) for each in made.moved),
    )
