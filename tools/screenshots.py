"""Make the screenshots of the README from the examples: docs/stories.png and docs/compare.png.

    .venv/bin/python tools/screenshots.py

It starts a service on a temporary store and opens it in Debian's chromium. Fonts for Chinese and
Hindi titles must be installed, such as fonts-wqy-microhei and fonts-lohit-deva.
"""

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from urllib.error import URLError
from urllib.request import Request, urlopen

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
WIRE = ROOT / "examples" / "wire.jsonl"
SHOTS = {  # by name: the page, and its height
    "stories": ("/stories?order=largest", 760),
    "compare": ("/compare?a=en-24&b=en-25", 1150),
}
WIDTH = 1100
MAX_BYTES = 150_000
STARTUP_SECONDS = 60


@contextmanager
def serving(folder: str) -> Iterator[str]:
    """The address of a service whose store holds the examples."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "nearcopy", "serve", "--port", str(port)]
    with subprocess.Popen(command, cwd=folder) as service:  # noqa: S603
        try:
            address = f"http://127.0.0.1:{port}"
            _wait_for(address)
            _fill(address)
            yield address
        finally:
            service.terminate()


def _wait_for(address: str) -> None:
    for _ in range(STARTUP_SECONDS * 10):
        try:
            urlopen(f"{address}/readyz").close()  # noqa: S310
        except URLError:
            time.sleep(0.1)
        else:
            return
    raise TimeoutError(address)


def _fill(address: str) -> None:
    rows = [json.loads(line) for line in WIRE.read_text(encoding="utf-8").splitlines()]
    body = json.dumps([row | {"seen": row["published"]} for row in rows]).encode()
    headers = {"content-type": "application/json"}
    urlopen(Request(f"{address}/api/v1/articles", body, headers)).close()  # noqa: S310


def main() -> None:
    """Make all screenshots."""
    with TemporaryDirectory() as folder, serving(folder) as address, sync_playwright() as started:
        browser = started.chromium.launch(executable_path=which("chromium"), args=["--no-sandbox"])
        for name, (path, height) in SHOTS.items():
            page = browser.new_page(viewport={"width": WIDTH, "height": height})
            page.goto(address + path)
            file = ROOT / "docs" / f"{name}.png"
            size = len(page.screenshot(path=file))
            assert size < MAX_BYTES, f"{file} has {size:,} bytes"
            print(f"{file.relative_to(ROOT)}: {size:,} bytes")
        browser.close()


if __name__ == "__main__":
    main()
