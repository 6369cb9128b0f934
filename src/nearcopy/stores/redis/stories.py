"""What a Redis store remembers of stories: members with their articles, stories by their ids."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping

from nearcopy.models.model import Member, Story
from nearcopy.models.timestamps import moment
from nearcopy.stores.redis.binary_format import Reader, Writer, pairs_of
from nearcopy.stores.redis.commands import Name
from nearcopy.stores.redis.connection import Link
from nearcopy.stores.redis.edges import MOST_UNPACKED, RELATIONS
from nearcopy.stores.redis.fingerprint_codec import Head
from nearcopy.stores.redis.lua_scripts import ROWS
from nearcopy.stores.redis.records import numbered, string, string_name
from nearcopy.stores.redis.transactions import RedisSteps
from nearcopy.stores.row_codec import whole, whole_or_none

SAME_SOURCE = 1  # as the article's own; 0: another, which follows
BUCKETS_AT_ONCE = 512


class RedisStories(RedisSteps):
    """The part of the store that knows of stories."""

    def __init__(self, link: Link) -> None:
        super().__init__(link)
        self._unpacked_members: dict[int, tuple[bytes, tuple[str, Member]]] = {}

    def tell(
        self, stories: Iterable[Story], removed: Collection[str], redirects: Mapping[str, str]
    ) -> None:
        """Remember stories; forget those that are gone."""
        remembered = self._records.get([string("s", name) for name in removed])
        for name in [key for key, packed_story in remembered.items() if packed_story is not None]:
            self._records.put(name, None)
        for story in stories:
            numbers = self._heads.numbers([member.id for member in story.members])
            packed_story = json.dumps(
                [whole(story.why), list(numbers.values())], separators=(",", ":")
            )
            self._records.put(string("s", story.id), self._small.shrunk(packed_story.encode()))
            for member in story.members:
                number = numbers[member.id]
                packed = self._packed_member(story.id, member, self._heads.head(number))
                self._records.put(numbered("m", number), packed)
        for old, new in redirects.items():
            self._records.put(string("d", old), new.encode("utf-8", "surrogatepass"))

    def members(self, ids: Collection[str]) -> dict[str, tuple[str, Member]]:
        """Of articles in a remembered story: its id, and what they are in it."""
        self._fresh()
        return self._members(self._heads.numbers(ids).values())

    def _members(self, numbers: Collection[int]) -> dict[str, tuple[str, Member]]:
        names = {number: numbered("m", number) for number in numbers}
        records = self._records.get(names.values())
        packed = ((number, records[name]) for number, name in names.items())
        places = (self._place(number, record) for number, record in packed if record is not None)
        return {member.id: (story, member) for story, member in places}

    def _place(self, number: int, packed: bytes) -> tuple[str, Member]:
        """The place of an article in a story, unpacked once."""
        cached = self._unpacked_members.get(number)
        if cached is not None and cached[0] is packed:
            return cached[1]
        if len(self._unpacked_members) >= MOST_UNPACKED:
            self._unpacked_members.clear()
        place = self._member(packed, self._heads.head(number))
        self._unpacked_members[number] = packed, place
        return place

    def stories(self, ids: Collection[str]) -> dict[str, Story]:
        """The remembered stories, by id."""
        self._fresh()
        names = {name: string("s", name) for name in ids}
        read = self._records.get(names.values())
        saved = {name: self._told_of(read[key]) for name, key in names.items() if read[key]}
        all_numbers = {number for _, numbers in saved.values() for number in numbers}
        members = self._members([number for number in all_numbers if self._heads.name(number)])
        stories = (
            self._story(name, why, [self._heads.name(n) for n in numbers], members)
            for name, (why, numbers) in saved.items()
        )
        return {story.id: story for story in stories if story is not None}

    def _told_of(self, packed: bytes | None) -> tuple[str, list[int]]:
        why, numbers = json.loads(self._small.grown(packed or b"\0[]"))
        return why, numbers

    def _story(
        self, name: str, why: str, ids: list[str], members: Mapping[str, tuple[str, Member]]
    ) -> Story | None:
        """The story of those that are still there and in no other."""
        own = [members[item] for item in ids if item in members]
        listed = tuple(member for story, member in own if story == name)
        if not listed:
            return None
        heads = [self._heads.head(self._heads.numbers([m.id])[m.id]) for m in listed]
        dates = [h.published if h.published is not None else h.seen for h in heads]
        dated = [item for item in dates if item is not None]
        first, last = min(dated, default=None), max(dated, default=None)
        return Story(name, listed[0].id, why, listed, moment(first), moment(last))

    def story_ids(self) -> Iterator[str]:
        """The remembered stories, in no order."""
        self._fresh()
        return iter(list(dict.fromkeys(story for _, story, _ in self._all_members())))

    def _all_members(self) -> Iterator[tuple[int, str, Member]]:
        """Every article that is in a story, with its number."""
        first, last = self._heads.first // ROWS, self._heads.last // ROWS
        for start in range(first, last + 1, BUCKETS_AT_ONCE):
            buckets = range(start, min(start + BUCKETS_AT_ONCE, last + 1))
            names: dict[int, Name] = {bucket: b"am:%d" % bucket for bucket in buckets}
            records = self._records.fetch(names.values())
            for bucket, name in names.items():
                for place, packed in pairs_of(records[name]).items():
                    number = bucket * ROWS + int(place)
                    if self._heads.name(number):
                        yield number, *self._member(packed, self._heads.head(number))

    def taken(self, stories: Collection[str]) -> set[str]:
        """Which of these ids name a story, or one that became part of another."""
        self._fresh()
        names = {name: (string("s", name), string("d", name)) for name in stories}
        records = self._records.get([key for both in names.values() for key in both])
        return {name for name, both in names.items() if any(records[e] is not None for e in both)}

    def redirected(self, story: str) -> str:
        """The story that this one became part of, in the end; else itself."""
        self._fresh()
        seen = {story}
        while (packed := self._records.one(string("d", story))) is not None:
            following = packed.decode("utf-8", "surrogatepass")
            if following in seen:
                break
            seen.add(story := following)
        return story

    def redirects(self) -> dict[str, str]:
        """All stories that became part of another."""
        self._fresh()
        records = self._records.get(self._records.all_strings("d"))
        return {
            string_name(name): value.decode("utf-8", "surrogatepass")
            for name, value in records.items()
            if value is not None
        }

    def _packed_member(self, story: str, member: Member, head: Head) -> bytes:
        out = Writer()
        relation = member.relation.value if member.relation else None
        self._kinds.write((relation, member.rule, whole(member.reason)), out)
        out.real(member.confidence)
        out.real(member.score)
        same = whole_or_none(member.source) == head.source
        out.number(SAME_SOURCE if same else 0)
        if not same:
            out.text(whole_or_none(member.source))
        for text in (story, member.duplicate_of, whole(member.why)):
            out.text(text)
        return self._small.shrunk(bytes(out.bytes))

    def _member(self, packed: bytes, head: Head) -> tuple[str, Member]:
        read = Reader(self._small.grown(packed))
        relation, rule, reason = self._kinds.read(read)
        confidence, score = read.real(), read.real()
        source = head.source if read.number() == SAME_SOURCE else read.text()
        story, original, why = read.text(), read.text(), read.text()
        return story or "", Member(
            id=head.id,
            relation=RELATIONS[relation] if relation else None,
            confidence=confidence or 0.0,
            rule=rule,
            reason=reason,
            source=source,
            published=moment(head.published),
            score=score or 0.0,
            why=why or "",
            duplicate_of=original,
        )
