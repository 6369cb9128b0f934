"""The service as users run it: its own process, two workers, and a signal to stop."""

import http.client
import importlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import httpx
import pytest
from tests.support.service_client import free_port, serving, wait_for

from nearcopy import Deduper
from nearcopy.service.settings import Settings

COUNT = 6000


@contextmanager
def run_service(folder, *flags):
    """The address and the process of a service in a folder."""
    port = free_port()
    command = [sys.executable, "-m", "nearcopy", "serve", "--port", str(port), *flags]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("NEARCOPY_")}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, stderr=log, stdout=log, env=clean)
    try:
        wait_for(f"http://127.0.0.1:{port}", 60)
        yield port, process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.wait(60)


def article(number):
    name = f"a{number}"
    return {"id": name, "title": sha256(name.encode()).hexdigest()}


class StreamClient(threading.Thread):
    """Sends articles as JSON lines, and reads the answers meanwhile."""

    def __init__(self, port):
        super().__init__()
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.answers = []

    def run(self):
        connection = self.connection
        connection.putrequest("POST", "/api/v1/articles")
        connection.putheader("content-type", "application/x-ndjson")
        connection.putheader("transfer-encoding", "chunked")
        connection.endheaders()
        sender = threading.Thread(target=self._send)
        sender.start()
        response = connection.getresponse()
        self.answers = []
        for line in response:
            self.answers.append(json.loads(line))
        sender.join()
        connection.close()

    def _send(self):
        try:
            for number in range(COUNT):
                line = json.dumps(article(number)).encode() + b"\n"
                self.connection.send(b"%x\r\n%s\r\n" % (len(line), line))
            self.connection.send(b"0\r\n\r\n")
        except OSError:
            pass  # the service stopped


def test_acknowledged_lines_are_stored_at_shutdown_and_the_last_line_says_where_it_ended(tmp_path):
    with run_service(tmp_path) as (port, process):
        stream = StreamClient(port)
        stream.start()
        end = time.monotonic() + 60
        while len(stream.answers) < 600 and time.monotonic() < end:
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        stream.join()
        assert process.wait(60) == 0
    *verdicts, last = stream.answers
    assert 600 <= len(verdicts) < COUNT
    assert last["status"] == 503
    assert last["line"] == len(verdicts)
    with Deduper(f"sqlite:///{tmp_path}/nearcopy.db") as deduper:
        for verdict in verdicts:
            assert deduper.article(verdict["id"]).id == verdict["id"]


def test_two_workers_share_a_store_and_count_together(tmp_path):
    with run_service(tmp_path, "--workers", "2", "--json") as (port, _):
        client, responses = httpx.Client(base_url=f"http://127.0.0.1:{port}"), []

        def add(first):
            for number in range(first, first + 20):
                responses.append(client.post("/api/v1/articles", json=article(number % 20)))

        threads = [threading.Thread(target=add, args=(20 * n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert {response.status_code for response in responses} == {200}
        assert client.get("/api/v1/stats").json()["articles"] == 20
        text = client.get("/metrics").text
        client.close()
        assert 'nearcopy_documents_total{relation="new",work="add"} 80.0' in text
    lines = (tmp_path / "log").read_text().splitlines()[1:]
    logged = [json.loads(line) for line in lines]
    assert {entry["message"].split(" in ")[0] for entry in logged} >= {"POST /api/v1/articles 200"}
    assert all(entry["request_id"] for entry in logged)


@pytest.mark.parametrize("host", ["0.0.0.0"])
def test_listening_on_other_addresses_needs_a_token(tmp_path, host):
    command = [sys.executable, "-m", "nearcopy"]
    subprocess.run([*command, "token", "add", "x"], cwd=tmp_path, check=True, capture_output=True)
    with run_service(tmp_path, "--host", host) as (port, _):
        assert httpx.get(f"http://127.0.0.1:{port}/api/v1/stats").status_code == 401


def test_the_loader_of_the_benchmarks_counts_answers_and_errors(tmp_path, monkeypatch):
    folder = Path(__file__).resolve().parents[2] / "benchmarks"
    if not folder.exists():
        pytest.skip("the benchmarks are not part of this distribution")
    monkeypatch.syspath_prepend(str(folder))
    loader = importlib.import_module("load_generator")
    settings = Settings(store=f"{tmp_path}/s.db", tokens=f"{tmp_path}/t.db", port=free_port())
    with serving(settings):
        measurement = loader.loaded(
            settings.port,
            lambda number: loader.Request("GET", "/healthz" if number % 2 else "/nowhere"),
            40,
            0.5,
        )
    assert len(measurement.milliseconds) == 20
    assert measurement.errors == 10


SIGNAL_DURING_GC = """
import gc, signal, time
import uvicorn
from nearcopy.service.server import run
from nearcopy.service.settings import Settings

def send_signal(phase, info):
    gc.callbacks.remove(send_signal)
    signal.raise_signal(signal.SIGTERM)
    sum(range(1000))

def starting(*_, **__):
    gc.callbacks.append(send_signal)
    gc.collect()
    for _ in range(6000):  # a signal that another thread receives does not end a sleep
        time.sleep(0.01)

uvicorn.run = starting
run(Settings())
"""


def test_a_signal_during_garbage_collection_is_not_lost(tmp_path):
    process = subprocess.run(
        [sys.executable, "-c", SIGNAL_DURING_GC], cwd=tmp_path, capture_output=True, timeout=50
    )
    assert (process.returncode, process.stderr) == (0, b"")
