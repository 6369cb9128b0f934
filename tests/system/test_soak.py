"""A short soak: mixed load while workers and servers are killed, then an audit."""

import os

import pytest
from tests.support import servers
from tests.system.soak import soaked

SECONDS = float(os.environ.get("NEARCOPY_SOAK_SECONDS", "30"))


@pytest.mark.faults
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_nothing_is_lost_or_duplicated_under_load_and_kills(kind):
    try:
        with servers.folder() as folder:
            soak = soaked(kind, folder, SECONDS)
    except servers.NoServer as missing:
        servers.unavailable(missing)
    assert soak.wrong == []
    assert len(soak.acknowledged) > 50
    assert soak.counts.total() > len(soak.acknowledged)
