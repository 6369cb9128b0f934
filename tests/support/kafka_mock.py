"""librdkafka's mock of a Kafka cluster in a process of its own, for clients over TCP.

It speaks the protocol of brokers, groups and transactions; it is no Kafka. Where
NEARCOPY_TEST_BROKERS names a real cluster, tests that need no broker to fail run against that.
"""

import ctypes
import itertools
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

BROKERS = 3
PARTITIONS = 8
PRODUCER = 0
JOIN_MILLISECONDS = 100  # that a new group waits for more members
REAL = os.environ.get("NEARCOPY_TEST_BROKERS")
NUMBERS = itertools.count()


def _library() -> ctypes.CDLL:
    """The library that the driver brings along."""
    import confluent_kafka

    beside = Path(confluent_kafka.__file__).parents[1] / "confluent_kafka.libs"
    (path,) = beside.glob("librdkafka-*.so*")
    return ctypes.CDLL(str(path))


def _cluster(library: ctypes.CDLL) -> ctypes.c_void_p:
    library.rd_kafka_conf_new.restype = ctypes.c_void_p
    library.rd_kafka_new.restype = ctypes.c_void_p
    library.rd_kafka_mock_cluster_new.restype = ctypes.c_void_p
    library.rd_kafka_mock_cluster_bootstraps.restype = ctypes.c_char_p
    settings = ctypes.c_void_p(library.rd_kafka_conf_new())
    said = ctypes.create_string_buffer(512)
    owner = library.rd_kafka_new(PRODUCER, settings, said, ctypes.c_size_t(512))
    mock = ctypes.c_void_p(library.rd_kafka_mock_cluster_new(ctypes.c_void_p(owner), BROKERS))
    library.rd_kafka_mock_group_initial_rebalance_delay_ms(mock, ctypes.c_int32(JOIN_MILLISECONDS))
    return mock


def serve() -> None:
    """Run a cluster; each line of stdin is an order, answered by a line."""
    library = _library()
    cluster = _cluster(library)
    print(library.rd_kafka_mock_cluster_bootstraps(cluster).decode(), flush=True)
    for line in sys.stdin:
        order, *words = line.split()
        if order == "topic":
            name, partitions = words[0].encode(), int(words[1])
            failed = library.rd_kafka_mock_topic_create(cluster, name, partitions, BROKERS)
        elif order == "errors":
            failed = _push_errors(library, cluster, *map(int, words))
        elif order == "down":
            failed = library.rd_kafka_mock_broker_set_down(cluster, ctypes.c_int32(int(words[0])))
        else:
            failed = library.rd_kafka_mock_broker_set_up(cluster, ctypes.c_int32(int(words[0])))
        print("failed" if failed else "done", flush=True)


def _push_errors(library: ctypes.CDLL, cluster: ctypes.c_void_p, request: int, *codes: int) -> int:
    listed = (ctypes.c_int * len(codes))(*codes)
    library.rd_kafka_mock_push_request_errors_array(
        cluster, ctypes.c_int16(request), ctypes.c_size_t(len(codes)), listed
    )
    return 0


class Cluster:
    """A cluster that tests talk to."""

    def __init__(self, process: "subprocess.Popen[str] | None", brokers: str) -> None:
        self._process, self.brokers = process, brokers
        self.mock = process is not None

    def _order(self, words: str) -> None:
        self._process.stdin.write(words + "\n")
        self._process.stdin.flush()
        assert self._process.stdout.readline() == "done\n"

    def topic(self, name: str, partitions: int = PARTITIONS) -> str:
        """The name of a new topic."""
        topic = f"{name}-{os.getpid()}-{next(NUMBERS)}"
        if self.mock:
            self._order(f"topic {topic} {partitions}")
        else:
            from confluent_kafka.admin import AdminClient, NewTopic

            admin = AdminClient({"bootstrap.servers": self.brokers})
            for future in admin.create_topics([NewTopic(topic, partitions)]).values():
                future.result(30)
        return topic

    def down(self, number: int) -> None:
        """Have a broker refuse all connections."""
        self._order(f"down {number}")

    def errors(self, request: int, *codes: int) -> None:
        """Have the next requests of a kind answered with these errors."""
        self._order(f"errors {request} {' '.join(map(str, codes))}")

    def up(self, number: int) -> None:
        """Have a broker back."""
        self._order(f"up {number}")


@contextmanager
def cluster() -> Iterator[Cluster]:
    """A cluster of its own, or the real one that the environment names."""
    if REAL:
        yield Cluster(None, REAL)
        return
    process = subprocess.Popen(
        [sys.executable, __file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with process:
        try:
            yield Cluster(process, process.stdout.readline().strip())
        finally:
            process.terminate()
            process.wait(60)


if __name__ == "__main__":
    serve()
