"""Ids of rows: the same from `dedupe` and from `corpus`, and family by family as on Spark."""

import json
import tempfile
from collections import defaultdict
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.corpora import read

from nearcopy.batch import DedupeJob, dedupe_files
from nearcopy.batch.local import CorpusJob, deduplicate
from nearcopy.io.files.read import UniqueIds, id_family

NUMBERS = st.sampled_from(["", "#2", "#3", "#2#2", "#", "##2", "#x"])
IDS = st.lists(st.builds(str.__add__, st.sampled_from("ab"), NUMBERS), min_size=1, max_size=12)


def assigned(ids: list[str]) -> list[str]:
    return list(map(UniqueIds().assign, ids))


@given(IDS)
def test_ids_are_unique_and_first_ones_are_kept(ids):
    unique = assigned(ids)
    assert len(set(unique)) == len(ids)
    assert unique[0] == ids[0]


@given(IDS)
def test_families_may_be_assigned_apart(ids):
    families = defaultdict(list)
    for place, own in enumerate(ids):
        families[id_family(own)].append(place)
    apart = {}
    for places in families.values():
        names = assigned([ids[place] for place in places])
        apart |= dict(zip(places, names, strict=True))
    assert [apart[place] for place in range(len(ids))] == assigned(ids)


@settings(max_examples=25, deadline=None)
@given(IDS)
def test_dedupe_and_corpus_assign_the_same_ids(ids):
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder, "in.jsonl"), Path(folder, "out.jsonl")
        rows = [{"id": own, "text": f"text {place}"} for place, own in enumerate(ids)]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        dedupe_files(DedupeJob(files=(str(path),), output=str(out)))
        deduplicate(CorpusJob(path, Path(folder, "marked"), unit_bytes=40))
        marked = read(Path(folder, "marked", "in.jsonl"))
        assert [row["id"] for row in marked] == [row["id"] for row in read(out)] == assigned(ids)
