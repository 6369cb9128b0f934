"""The verdicts that were decided with objects, and what the guard against removals reads."""

from collections.abc import Callable, Mapping
from dataclasses import astuple
from pathlib import Path
from typing import NamedTuple

import numpy as np

from nearcopy.batch.column_rules import Numbers
from nearcopy.batch.corpus_settings import LargestStory
from nearcopy.batch.linked_groups import Clusters
from nearcopy.batch.local.candidate_pairs import count_reference_rows
from nearcopy.batch.local.column_files import Array, Pack, join_blobs, write_pack
from nearcopy.batch.local.corpus_job import CorpusJob
from nearcopy.cluster.duplicate_groups import OversizedGroup
from nearcopy.io.files.json import as_json
from nearcopy.io.serializers import verdict_columns
from nearcopy.models import Verdict

NONE = 0xFFFFFFFF  # no row
CLUSTERS_FILE = "clusters.pack"


class VerdictTable:
    """Verdicts by row, and the oversized groups."""

    def __init__(self) -> None:
        self.verdicts: dict[int, Verdict] = {}
        self.kept_because: dict[int, str] = {}  # of kept copies, which are decided last
        self.oversized: list[OversizedGroup] = []

    def add(self, clusters: Clusters) -> None:
        """Add the duplicates of a group, and why its kept copies are kept."""
        self.oversized += clusters.oversized
        for member in clusters.rows:
            if member.verdict is not None:
                self.verdicts[member.row] = member.verdict
            elif member.kept_because is not None:
                self.kept_because[member.row] = member.kept_because

    def write(
        self,
        job: CorpusJob,
        story_rows: Numbers,
        story_id: Callable[[int], str],
        columns: Mapping[str, Array],
    ) -> None:
        """Write the output columns of each row to a pack, empty where there is no verdict.

        `story_rows` has a row for each row that stands for its story.
        """
        decided = (self.verdicts.get(row) for row in range(len(story_rows)))
        data, ends = join_blobs(as_json(verdict_columns(v)) if v else b"" for v in decided)
        columns = {**columns, "verdict": data, "verdict_ends": ends}
        own = story_rows[count_reference_rows(job) :]
        rows, sizes = np.unique(own, return_counts=True)
        largest = LargestStory()
        if len(rows):
            place = int(sizes.argmax())
            largest = LargestStory(story_id(int(rows[place])), int(sizes[place]))
        oversized = [astuple(group) for group in self.oversized]
        notes = {"stories": len(rows), "largest": largest, "oversized": oversized}
        write_pack(clusters_path(job), columns, **notes)


def clusters_path(job: CorpusJob) -> Path:
    """The file of the clusters."""
    return job.paths.work / CLUSTERS_FILE


class StoryNotes(NamedTuple):
    """The number of stories, the largest one, and the oversized groups."""

    stories: int
    largest: LargestStory
    oversized: list[OversizedGroup]


def read_story_notes(job: CorpusJob) -> StoryNotes:
    """What is known of the stories of a job."""
    notes = Pack(clusters_path(job)).notes
    oversized = [OversizedGroup(*group) for group in notes["oversized"]]
    return StoryNotes(notes["stories"], LargestStory(*notes["largest"]), oversized)
