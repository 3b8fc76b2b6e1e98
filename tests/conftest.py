"""What several tests share: real data by an environment variable, a started dashboard, a real browser."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import hypothesis
import pytest

ROOT = Path(__file__).resolve().parent.parent
OUTPUT = ROOT / "test-output"
HOST = "127.0.0.1"

# The first example of a property test pays for imports, so a time limit per example would be a coin toss.
hypothesis.settings.register_profile("fairaudit", deadline=None, derandomize="CI" in os.environ)
hypothesis.settings.load_profile("fairaudit")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests share one worker, hence one server and one Chromium at a time."""
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.xdist_group("browser"))


@pytest.fixture(scope="session")
def real_data() -> Path:
    """Folder with ``student-por.csv`` and ``oulad/``; the test skips where there is none."""
    folder = os.environ.get("FAIRAUDIT_TEST_DATA")
    if not folder:
        pytest.skip("FAIRAUDIT_TEST_DATA is not set: name a folder with student-por.csv and oulad/ to run this test")
    if not Path(folder).is_dir():
        pytest.fail(f"FAIRAUDIT_TEST_DATA is {folder}, which is not a folder")
    return Path(folder)


@pytest.fixture(scope="session")
def sample_data() -> Path:
    """The folder of the data that ship with the project."""
    return ROOT / "sample_data"


@dataclass(frozen=True)
class Server:
    """A started dashboard."""

    url: str
    log: Path


@pytest.fixture
def dask_cluster() -> Iterator[Any]:
    """A cluster of two workers; they live in this process, which starts everywhere, and are reached by TCP all the same."""
    distributed = pytest.importorskip("dask.distributed", reason="the extra fairaudit[cluster] is not installed")
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=False,
        protocol="tcp",
        dashboard_address=None,
        host="127.0.0.1",
        silence_logs=50,
    ) as cluster:
        yield cluster


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _healthy(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


@pytest.fixture(scope="session")
def app_server() -> Iterator[Server]:
    """The dashboard as ``make app`` starts it, on a free port of this machine, stopped at the end."""
    OUTPUT.mkdir(exist_ok=True)
    port = _free_port()
    url = f"http://{HOST}:{port}"
    log = OUTPUT / f"server-{port}.log"
    options = {
        "server.address": HOST,
        "server.port": port,
        "server.headless": "true",
        "server.fileWatcherType": "none",
    }
    command = [sys.executable, "-m", "streamlit", "run", "app.py", *(f"--{name}={value}" for name, value in options.items())]
    with log.open("wb") as stream:
        process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=stream, stderr=subprocess.STDOUT)
        try:
            deadline = time.monotonic() + 60
            while not _healthy(url):
                if process.poll() is not None or time.monotonic() > deadline:
                    pytest.fail(f"The dashboard did not start: {log.read_text(errors='replace')[-2000:]}")
                time.sleep(0.1)
            yield Server(url, log)
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(10)


CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # A request to anywhere else fails at once, besides being recorded.
    f"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE {HOST}",
]


@pytest.fixture
def chromium() -> Iterator[Any]:
    """A headless Chromium.

    One a test: Playwright keeps an event loop running in this thread, which tests that start their own would stumble over.
    """
    path = next((found for name in CHROMIUM_NAMES if (found := shutil.which(name))), None)
    if path is None:
        reason = f"no browser found (looked for {', '.join(CHROMIUM_NAMES)}); on Debian: apt install chromium"
        if os.environ.get("FAIRAUDIT_REQUIRE_BROWSER"):
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_ARGUMENTS)
        yield browser
        browser.close()


@dataclass
class Visit:
    """A page of the dashboard in a browser, with everything it complained about and every host it asked.

    Attributes
    ----------
    page : playwright.sync_api.Page
    server : Server
    console_errors : list of str
        Messages of level error, and uncaught errors.
    hosts : set of str
        Hosts of all requests and web sockets.
    """

    page: Any
    server: Server
    console_errors: list[str] = field(default_factory=list)
    hosts: set[str] = field(default_factory=set)

    def wait_idle(self, timeout: float = 60.0) -> None:
        """Wait until the script has run to its end and stays idle for a moment; ``timeout`` is in seconds."""
        idle = '[data-testid="stApp"][data-test-script-state="notRunning"][data-test-connection-state="CONNECTED"]'
        deadline = time.monotonic() + timeout
        while True:
            self.page.wait_for_selector(idle, timeout=max(1.0, (deadline - time.monotonic()) * 1000))
            self.page.wait_for_timeout(300)
            if self.page.query_selector(idle):
                return

    def goto(self, path: str = "/") -> None:
        """Open a path of the dashboard and wait for it."""
        self.page.goto(self.server.url + path)
        self.wait_idle()

    def screenshot(self, name: str, full_page: bool = True) -> Path:
        """Save what is seen as ``test-output/<name>.png``."""
        OUTPUT.mkdir(exist_ok=True)
        path = OUTPUT / f"{name}.png"
        self.page.screenshot(path=path, full_page=full_page)
        return path

    def assert_clean(self) -> None:
        """No error in the console, no traceback in the server's log, no request to another host."""
        assert not self.console_errors, self.console_errors
        assert self.hosts <= {HOST}, self.hosts
        log = self.server.log.read_text(errors="replace")
        assert not re.search(r"^Traceback|Uncaught app exec", log, re.MULTILINE), log[-3000:]


@pytest.fixture
def browser_page(chromium: Any, app_server: Server) -> Iterator[Callable[..., Visit]]:
    """Factory: ``browser_page("/", color_scheme="dark", width=1280, height=900)`` opens the dashboard and returns a Visit.

    Every visit is checked by ``Visit.assert_clean`` when the test ends.
    """
    visits: list[tuple[Visit, Any]] = []

    def open_page(path: str = "/", *, color_scheme: str = "light", width: int = 1280, height: int = 900) -> Visit:
        context = chromium.new_context(
            color_scheme=color_scheme, viewport={"width": width, "height": height}, accept_downloads=True, locale="en-GB"
        )
        page = context.new_page()
        visit = Visit(page, app_server)
        visits.append((visit, context))

        def note_host(url: str) -> None:
            parts = urlsplit(url)
            if parts.scheme in {"http", "https", "ws", "wss"}:
                visit.hosts.add(parts.hostname or "")

        def note_console(message: Any) -> None:
            # Streamlit asks for a download's address when it draws the button. If the next run has replaced the file by then, the
            # answer is 404 for an address that nobody can click any more. That downloads work is shown by clicking them.
            superseded = "404" in message.text and ("/media/" in message.location["url"] or "Download Button" in message.text)
            if message.type == "error" and not superseded:
                visit.console_errors.append(f"{message.text} ({message.location['url']})")

        page.on("request", lambda request: note_host(request.url))
        page.on("websocket", lambda socket: note_host(socket.url))
        page.on("console", note_console)
        page.on("pageerror", lambda error: visit.console_errors.append(str(error)))
        visit.goto(path)
        return visit

    yield open_page
    for _, context in visits:
        context.close()
    for visit, _ in visits:
        visit.assert_clean()
