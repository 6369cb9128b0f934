"""A real cluster of Spark on loopback: a master and its workers, from the package of PyPI.

Where Java is not to be had the tests that want it are skipped with the reason; with CI=true that is
a failure.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

from tests.support.servers import NoServer, folder, waited

ADDRESS = re.compile(r"Starting Spark master at (spark://\S+)")
JOINED = "Successfully registered with master"
QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # little is run often enough to be optimised
IN_DRIVER = "local-cluster[1,2,512]"  # the executor has a process of its own
CORES = 2  # of all workers together
WORKERS = 2 if os.environ.get("NEARCOPY_FAULTS") == "whole" else 1  # one can be killed of two
SETTINGS = {
    "spark.cores.max": str(CORES),
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "600m",
    "spark.driver.extraJavaOptions": QUICK,
    "spark.executor.cores": str(CORES // WORKERS),
    "spark.executor.memory": "512m",
    "spark.executor.extraJavaOptions": QUICK,
    "spark.locality.wait": "0",
    "spark.shuffle.io.maxRetries": "1",
    "spark.shuffle.io.retryWait": "500ms",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


class Cluster:
    """A master and its workers."""

    def __init__(self, home: Path, place: Path) -> None:
        self.home, self._place = home, place
        log, self._master = self._start("master", "master.Master", "--port", "0")
        waited(lambda: ADDRESS.search(log.read_text()), self._master, "the master of Spark")
        self.address = ADDRESS.search(log.read_text())[1]
        self._count = 0
        self.workers: list[subprocess.Popen[bytes]] = []
        for _ in range(WORKERS):
            self.add_worker()

    def _start(self, name: str, what: str, *words: str) -> tuple[Path, "subprocess.Popen[bytes]"]:
        log = self._place / f"{name}.log"
        with log.open("wb") as out:
            process = subprocess.Popen(
                [
                    *(self.home / "bin" / "spark-class", f"org.apache.spark.deploy.{what}"),
                    *("--host", "127.0.0.1", "--webui-port", "0", *words),
                ],
                stdout=out,
                stderr=out,
                env={**os.environ, **environment(), "SPARK_HOME": str(self.home)},
                cwd=self._place,
                start_new_session=True,
            )
        return log, process

    def add_worker(self) -> None:
        """One more worker."""
        self._count += 1
        cores = str(CORES // WORKERS)
        words = ("--cores", cores, "--memory", "1g", "--work-dir", str(self._place / "work"))
        name = f"worker-{self._count}"
        log, process = self._start(name, "worker.Worker", *words, self.address)
        waited(lambda: JOINED in log.read_text(), process, "a worker of Spark")
        self.workers.append(process)

    def kill_worker(self) -> None:
        """End a worker and what runs on it without a chance to say anything."""
        process = self.workers.pop(0)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(60)

    def stop(self) -> None:
        """End all; nothing is to stay."""
        for process in (*self.workers, self._master):
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(60)


def environment() -> dict[str, str]:
    """The settings of Spark programs here."""
    return {
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": QUICK,
    }


@contextmanager
def cluster() -> Iterator[Cluster]:
    """A cluster of its own."""
    spec = find_spec("pyspark")
    if spec is None or spec.origin is None:
        raise NoServer("pyspark is not installed")
    if shutil.which("java") is None:
        raise NoServer("java is not installed")
    with folder() as place:
        started = Cluster(Path(spec.origin).parent, place)
        try:
            yield started
        finally:
            started.stop()
