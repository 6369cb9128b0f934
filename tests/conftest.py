"""What several test files share."""

import gc
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest
import typer.testing
from hypothesis import settings
from tests.support import servers
from tests.support.every_level import EveryLevel

from nearcopy import kernels

# The stores that one contract holds for; each has a fixture, NAME_address.
LASTING = ("sqlite", "postgres", "redis")
STORES = ("memory", *LASTING)

# The same examples in every run; `make properties` searches with random seeds instead.
settings.register_profile("nearcopy", deadline=None, derandomize=True, database=None)
settings.register_profile("search", deadline=None, max_examples=300)
settings.load_profile("nearcopy")


# Building the commands takes as long as most tests of them: once per process, not per call.
typer.testing._get_command = cache(typer.testing._get_command)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collect tests without collecting garbage, and leave them out of it: they live to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests on Spark come first, so that one worker process runs them all, on one cluster."""
    items.sort(key=lambda item: "spark" not in getattr(item, "fixturenames", ()))


@pytest.fixture(scope="module", params=["reference", "native"])
def kernel(request: pytest.FixtureRequest) -> ModuleType:
    """Each of the two kernels in turn."""
    module: ModuleType | None = getattr(kernels, request.param)
    if module is None:
        pytest.skip("the compiled kernels are not built here")
    return module


@pytest.fixture(scope="session")
def native() -> EveryLevel:
    """The compiled kernels, each call at every level this processor has."""
    if kernels.native is None:
        pytest.skip("the compiled kernels are not built here")
    return EveryLevel()


@pytest.fixture(params=STORES)
def any_address(request: pytest.FixtureRequest) -> str:
    """The address of an empty store, of each kind in turn."""
    return str(request.getfixturevalue(f"{request.param}_address"))


@pytest.fixture(params=LASTING)
def lasting_address(request: pytest.FixtureRequest) -> str:
    """The same for those that last, and that several can have open."""
    return str(request.getfixturevalue(f"{request.param}_address"))


@pytest.fixture
def memory_address() -> str:
    """Nothing that lasts."""
    return "memory://"


@pytest.fixture
def sqlite_address(tmp_path: Path) -> str:
    """A file that is not there yet."""
    return f"sqlite:///{tmp_path}/seen.db"


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[servers.Postgres]:
    """One PostgreSQL server for all tests that ask for it."""
    try:
        with servers.postgres() as started:
            yield started
    except servers.NoServer as why:
        servers.unavailable(why)


@pytest.fixture
def postgres_address(postgres_server: servers.Postgres) -> str:
    """An empty schema, for a role that owns nothing else."""
    return postgres_server.fresh()


@pytest.fixture(scope="session")
def redis_server() -> Iterator[servers.Redis]:
    """One Redis server for all tests that ask for it."""
    try:
        with servers.redis() as started:
            yield started
    except servers.NoServer as why:
        servers.unavailable(why)


@pytest.fixture
def redis_address(redis_server: servers.Redis) -> str:
    """A server with nothing on it."""
    redis_server.client().flushall()
    return redis_server.address
