"""What several test files share."""

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import settings
from tests.support import servers

from nearcopy import kernels

LEVELS = ("baseline", "avx2", "avx512")

# The stores that one contract holds for; each has a fixture, NAME_address.
LASTING = ("sqlite", "postgres", "redis")
STORES = ("memory", *LASTING)

# The same examples in every run; `make properties` searches with random seeds instead.
settings.register_profile("nearcopy", deadline=None, derandomize=True, database=None)
settings.register_profile("search", deadline=None, max_examples=300)
settings.load_profile("nearcopy")


@pytest.fixture(scope="module", params=["reference", "native"])
def kernel(request: pytest.FixtureRequest) -> ModuleType:
    """Each of the two kernels in turn."""
    module: ModuleType | None = getattr(kernels, request.param)
    if module is None:
        pytest.skip("the compiled kernels are not built here")
    return module


@pytest.fixture(scope="module", params=LEVELS)
def native(request: pytest.FixtureRequest) -> Iterator[ModuleType]:
    """The compiled kernels, at each level this processor has."""
    if kernels.native is None:
        pytest.skip("the compiled kernels are not built here")
    best = kernels.native.level()
    used = kernels.native.use_level(request.param)
    if used != request.param:
        pytest.skip(f"this processor has no {request.param}")
    yield kernels.native
    kernels.native.use_level(best)


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
def postgres_address(postgres_server: servers.Postgres) -> Iterator[str]:
    """An empty schema, for a role that owns nothing else."""
    address = postgres_server.fresh()
    yield address
    postgres_server.dropped(address)


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
