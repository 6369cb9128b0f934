"""Stories of a Redis store, and feedback on them.

Members are stored with their articles, stories by their ids.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping

from nearcopy.config.units import from_micros
from nearcopy.models import Member, Story, ordered
from nearcopy.models.feedback import Feedback, StoryAction, action_from_json, action_to_json
from nearcopy.stores.base import UNLIMITED
from nearcopy.stores.record_format import Reader, Writer
from nearcopy.stores.redis.article_headers import ArticleHeader
from nearcopy.stores.redis.binary_format import (
    Name,
    article_name,
    text_name,
    text_of,
    unpack_hash,
)
from nearcopy.stores.redis.connection import ROWS
from nearcopy.stores.redis.edges import CACHED_DECODED
from nearcopy.stores.redis.record_cache import DecodedHash
from nearcopy.stores.redis.transactions import Session
from nearcopy.stores.row_codec import (
    RELATIONS,
    FeedbackRow,
    feedback_from_row,
    feedback_to_row,
    replace_surrogates,
    replace_surrogates_or_none,
)

SAME_SOURCE = 1  # as the article; 0: another one, which follows
HASHES_AT_ONCE = 512
Membership = tuple[str, Member]  # the id of the story, and the member


class Stories:
    """Saves and reads stories, their members, and redirects of merged stories."""

    def __init__(self, session: Session) -> None:
        self._session, self._records, self._headers = session, session.records, session.headers
        self._decoded: dict[int, tuple[bytes, Membership]] = {}

    def save_stories(
        self, stories: Iterable[Story], removed: Collection[str], redirects: Mapping[str, str]
    ) -> None:
        stored = self._records.get([text_name("s", story) for story in removed])
        for name in [name for name, packed in stored.items() if packed is not None]:
            self._records.write(name, None)
        for story in stories:
            self._save_story(story)
        for old, new in redirects.items():
            self._records.write(text_name("d", old), new.encode("utf-8", "surrogatepass"))

    def _save_story(self, story: Story) -> None:
        numbers = self._headers.numbers([member.id for member in story.members])
        values = [replace_surrogates(story.why), list(numbers.values())]
        plain = json.dumps(values, separators=(",", ":")).encode()
        self._records.write(text_name("s", story.id), self._session.compressor.compress(plain))
        for member in story.members:
            number = numbers[member.id]
            packed = self._encode_member(story.id, member, self._headers.get(number))
            self._records.write(article_name("m", number), packed)

    def members(self, ids: Collection[str]) -> dict[str, Membership]:
        return self._read_members(self._session.numbers(ids).values())

    def _read_members(self, numbers: Collection[int]) -> dict[str, Membership]:
        names = {number: article_name("m", number) for number in numbers}
        records = self._records.get(names.values())
        packed = ((number, records[name]) for number, name in names.items())
        places = (self._decode_cached(number, item) for number, item in packed if item is not None)
        return {member.id: (story, member) for story, member in places}

    def _decode_cached(self, number: int, packed: bytes) -> Membership:
        """The membership of an article, decoded once."""
        cached = self._decoded.get(number)
        if cached is not None and cached[0] is packed:
            return cached[1]
        if len(self._decoded) >= CACHED_DECODED:
            self._decoded.clear()
        membership = self._decode_member(packed, self._headers.get(number))
        self._decoded[number] = packed, membership
        return membership

    def stories(self, ids: Collection[str]) -> dict[str, Story]:
        self._session.refresh()
        names = {story: text_name("s", story) for story in ids}
        records = self._records.get(names.values())
        decompress = self._session.compressor.decompress
        stored: dict[str, tuple[str, list[int]]] = {
            story: json.loads(decompress(packed))
            for story, name in names.items()
            if (packed := records[name])
        }
        all_numbers = {number for _, numbers in stored.values() for number in numbers}
        members = self._read_members([n for n in all_numbers if self._headers.id(n)])
        stories = (
            self._compose_story(story, why, [self._headers.id(n) for n in numbers], members)
            for story, (why, numbers) in stored.items()
        )
        return {story.id: story for story in stories if story is not None}

    def _compose_story(
        self, id_: str, why: str, ids: list[str], memberships: Mapping[str, Membership]
    ) -> Story | None:
        """The story of the articles that still exist and are in no other story."""
        own = [memberships[name] for name in ids if name in memberships]
        members = tuple(member for story, member in own if story == id_)
        if not members:
            return None
        numbers = self._headers.numbers([member.id for member in members]).values()
        headers = [self._headers.get(number) for number in numbers]
        times = [h.published if h.published is not None else h.seen for h in headers]
        dated = [time for time in times if time is not None]
        first, last = min(dated, default=None), max(dated, default=None)
        return Story(id_, members[0].id, why, members, from_micros(first), from_micros(last))

    def story_ids(self) -> Iterator[str]:
        self._session.refresh()
        return iter(list(dict.fromkeys(story for _, story, _ in self.scan_members())))

    def scan_members(self) -> Iterator[tuple[int, str, Member]]:
        """The sequence number, story and member of every article that is in a story."""
        first, last = self._headers.first // ROWS, self._headers.last // ROWS
        for start in range(first, last + 1, HASHES_AT_ONCE):
            hashes = range(start, min(start + HASHES_AT_ONCE, last + 1))
            names: dict[int, Name] = {number: b"am:%d" % number for number in hashes}
            records = self._records.fetch(names.values())
            for hash_number, name in names.items():
                for place, packed in unpack_hash(records[name]).items():
                    number = hash_number * ROWS + int(place)
                    if self._headers.id(number):
                        yield number, *self._decode_member(packed, self._headers.get(number))

    def used_story_ids(self, stories: Collection[str]) -> set[str]:
        self._session.refresh()
        names = {story: (text_name("s", story), text_name("d", story)) for story in stories}
        records = self._records.get([name for both in names.values() for name in both])
        return {
            story
            for story, both in names.items()
            if any(records[name] is not None for name in both)
        }

    def resolve_story(self, story: str) -> str:
        self._session.refresh()
        visited = {story}
        while (packed := self._records.get_one(text_name("d", story))) is not None:
            target = packed.decode("utf-8", "surrogatepass")
            if target in visited:
                break
            visited.add(story := target)
        return story

    def redirects(self) -> dict[str, str]:
        self._session.refresh()
        records = self._records.get(self._records.scan("d"))
        return {
            text_of(name): target.decode("utf-8", "surrogatepass")
            for name, target in records.items()
            if target is not None
        }

    def _encode_member(self, story: str, member: Member, header: ArticleHeader) -> bytes:
        out = Writer()
        relation = member.relation.value if member.relation else None
        interned = relation, member.rule, replace_surrogates(member.reason)
        self._session.interned.write(interned, out)
        out.real(member.confidence)
        out.real(member.score)
        same = replace_surrogates_or_none(member.source) == header.source
        out.number(SAME_SOURCE if same else 0)
        if not same:
            out.text(replace_surrogates_or_none(member.source))
        for text in (story, member.duplicate_of, replace_surrogates(member.why)):
            out.text(text)
        return self._session.compressor.compress(bytes(out.bytes))

    def _decode_member(self, packed: bytes, header: ArticleHeader) -> Membership:
        reader = Reader(self._session.compressor.decompress(packed))
        relation, rule, reason = self._session.interned.read(reader)
        confidence, score = reader.real(), reader.real()
        source = header.source if reader.number() == SAME_SOURCE else reader.text()
        story, original, why = reader.text(), reader.text(), reader.text()
        return story or "", Member(
            id=header.id,
            relation=RELATIONS[relation] if relation else None,
            confidence=confidence or 0.0,
            rule=rule,
            reason=reason,
            source=source,
            published=from_micros(header.published),
            score=score or 0.0,
            why=why or "",
            duplicate_of=original,
        )


class FeedbackLog:
    """Saves and reads feedback on pairs of articles, and actions on stories.

    Both are few, and read as whole hashes.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._feedback = DecodedHash(
            session.records,
            "feedback",
            lambda row: feedback_from_row(FeedbackRow(*json.loads(row))),
        )
        self._actions = DecodedHash(session.records, "actions", action_from_json)

    def save_feedback(self, feedback: Feedback) -> None:
        row = json.dumps(feedback_to_row(feedback), separators=(",", ":"))
        self._feedback.write(json.dumps(feedback.pair), row.encode())

    def remove_feedback(self, a: str, b: str) -> bool:
        pair = json.dumps(ordered(a, b))
        exists = pair.encode() in self._feedback.read()
        if exists:
            self._feedback.write(pair, None)
        return exists

    def has_feedback(self) -> bool:
        self._session.refresh()
        return bool(self._feedback.read() or self._actions.read())

    def feedback_about(self, ids: Collection[str]) -> list[Feedback]:
        self._session.refresh()
        feedback = self._feedback.read().values()
        chosen = set(ids) if feedback else set()
        return [item for item in feedback if item.a in chosen or item.b in chosen]

    def all_feedback(self) -> list[Feedback]:
        self._session.refresh()
        return sorted(self._feedback.read().values(), key=lambda item: (item.when, item.pair))

    def save_action(self, action: StoryAction) -> None:
        self._actions.write(str(action.number), action_to_json(action).encode())

    def actions(self, before: int | None = None, limit: int = UNLIMITED) -> list[StoryAction]:
        self._session.refresh()
        actions = reversed(self._sorted_actions())
        return [a for a in actions if before is None or a.number < before][:limit]

    def preferred_copies(self, ids: Collection[str]) -> dict[str, int]:
        """Those ids that an action not undone keeps, with the number of the last such action."""
        self._session.refresh()
        actions = self._sorted_actions()
        chosen = set(ids) if actions else set()
        return {name: a.number for a in actions if (name := a.keeps) in chosen and name is not None}

    def _sorted_actions(self) -> list[StoryAction]:
        return sorted(self._actions.read().values(), key=lambda action: action.number)
