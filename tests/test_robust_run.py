"""A server survives an upload that is cut off, a cancelled calibration, a killed worker and a disk without room; what was loaded stays."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pandas as pd
import pytest

from benchmarks.load import Server, dashboard
from benchmarks.visitor import Visitor

ROOT = Path(__file__).resolve().parent.parent
pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")


def numbers(seed: int, rows: int = 80_000) -> bytes:
    """A table whose calibration takes long enough to be cancelled."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame({f"x{i}": rng.normal(size=rows).round(3) for i in range(10)}).to_csv(index=False).encode()


@pytest.fixture
def loaded(tmp_path):
    """A server of its own, whose log is read at the end, and a visitor with two tables."""
    with dashboard(tmp_path) as server:
        with Visitor(server.url) as visitor:
            visitor.run()
            visitor.run("data")
            visitor.upload("Reference table", {"before.csv": numbers(0)})
            visitor.upload("Target tables", {"after.csv": numbers(1)})
            visitor.run("data")
            assert b"are ready" in visitor.seen and not visitor.errors
            yield server, visitor
        assert "Uncaught app" not in server.log.read_text(errors="replace")


def upload_head(visitor: Visitor, length: int, body: str) -> tuple[str, int, bytes]:
    """Where an upload goes, and its beginning, which promises ``length`` bytes."""
    (urls,) = visitor.upload_urls(["cut.csv"])
    parts = urlsplit(visitor.url)
    text = (
        f"PUT {urls.upload_url} HTTP/1.1\r\nHost: {parts.netloc}\r\nX-Xsrftoken: {visitor.xsrf}\r\nCookie: _streamlit_xsrf={visitor.xsrf}\r\n"
        f"Content-Type: multipart/form-data; boundary=line\r\nContent-Length: {length}\r\n\r\n"
        f'--line\r\nContent-Disposition: form-data; name="file"; filename="cut.csv"\r\n\r\n{body}'
    )
    assert parts.hostname is not None and parts.port is not None
    return parts.hostname, parts.port, text.encode()


def test_uploads_that_are_cut_off_or_too_large_and_a_cancelled_calibration_change_nothing(loaded):
    _, visitor = loaded
    for body in ("age,sex\n1,f\n", "age,sex\n" + "1,f\n" * 500_000):
        host, port, head = upload_head(visitor, 10_000_000, body)
        with socket.create_connection((host, port), timeout=30) as connection:
            connection.sendall(head)
    # What no browser sends, because the control refuses it before.
    host, port, head = upload_head(visitor, 300 * 2**20, "age,sex\n")
    with socket.create_connection((host, port), timeout=30) as connection:
        connection.sendall(head)
        assert b" 413 " in connection.recv(1000)
    visitor.run("data")
    assert b"are ready" in visitor.seen and b"before" in visitor.seen and b"cut" not in visitor.seen and not visitor.errors

    query = "resamples=4999&pair=ad-harmonic"
    visitor.run("audit", query)
    assert b"Calibrating: until" in visitor.seen and b"Calibrating the verdicts" in visitor.seen
    visitor.run("audit", query, press="Cancel")
    for _ in range(2):
        visitor.run("audit", query)
    assert b"Calibrating: until" not in visitor.seen and b"uncalibrated rule" in visitor.seen
    assert b"after" in visitor.seen and not visitor.errors
    visitor.run("audit", "resamples=0")
    assert b"after" in visitor.seen and not visitor.errors


def workers(server: Server) -> list[int]:
    """Processes that work for the server."""
    psutil = pytest.importorskip("psutil")
    found = []
    for child in psutil.Process(server.process.pid).children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            if "LokyProcess" in " ".join(child.cmdline()):
                found.append(child.pid)
    return found


def until(visitor: Visitor, query: str, words: bytes, seconds: float = 240) -> None:
    """Run the page Fair vs biased until it says something."""
    deadline = time.monotonic() + seconds
    while True:
        visitor.run("evaluation", query)
        if words in visitor.seen:
            return
        assert time.monotonic() < deadline, visitor.errors
        time.sleep(0.3)


def test_a_killed_worker_is_told_and_the_next_run_ends(loaded):
    server, visitor = loaded
    query = "evaluation_jobs=2"
    visitor.run("evaluation", query)
    visitor.run("evaluation", query, press="Run the experiment")
    deadline = time.monotonic() + 120
    while not (running := workers(server)):
        assert time.monotonic() < deadline and not visitor.errors
        time.sleep(0.05)
    for worker in running:
        with contextlib.suppress(ProcessLookupError):
            os.kill(worker, signal.SIGKILL)
    until(visitor, query, b"A worker process ended in the middle of its work")
    # Sentences, and nothing but sentences: the problem, and what to do.
    assert len(visitor.errors) == 1 and visitor.errors[0].startswith("A worker process ended")
    assert b"fewer processes" in visitor.seen
    assert server.process.poll() is None
    visitor.run("data")
    assert b"are ready" in visitor.seen and b"before" in visitor.seen and not visitor.errors
    visitor.run("evaluation", query, press="Run the experiment")
    until(visitor, query, b"Computed in")
    assert not visitor.errors


@dataclass
class Talk:
    """What a server without a log file says."""

    lines: list[str] = field(default_factory=list)

    def listen(self, stream: object) -> None:
        for line in stream:  # type: ignore[attr-defined]
            self.lines.append(line.decode(errors="replace"))


@contextlib.contextmanager
def server_without_room() -> Iterator[tuple[str, Talk]]:
    """A dashboard that cannot write a single byte to any file."""
    import resource

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = ["-m", "streamlit", "run", "app.py", "--server.address=127.0.0.1", f"--server.port={port}", "--server.headless=true"]
    process = subprocess.Popen(
        [sys.executable, *words, "--server.fileWatcherType=none"],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
    )
    talk = Talk()
    listener = threading.Thread(target=talk.listen, args=(process.stdout,), daemon=True)
    listener.start()
    url, deadline = f"http://127.0.0.1:{port}", time.monotonic() + 90
    try:
        while True:
            with contextlib.suppress(urllib.error.URLError, OSError), urllib.request.urlopen(f"{url}/_stcore/health", timeout=2):
                break
            assert process.poll() is None and time.monotonic() < deadline, talk.lines
            time.sleep(0.2)
        yield url, talk
    finally:
        process.terminate()
        process.wait(30)
        listener.join(10)
        assert process.stdout is not None
        process.stdout.close()


def test_a_full_disk_stops_neither_uploads_nor_audits_nor_downloads():
    tables = [numbers(seed) for seed in (0, 1)]
    assert len(tables[0]) > 2**20, "large enough for a server that keeps uploads in temporary files"
    with server_without_room() as (url, talk), Visitor(url) as visitor:
        visitor.run()
        visitor.run("data")
        visitor.upload("Reference table", {"before.csv": tables[0]})
        visitor.upload("Target tables", {"after.csv": tables[1]})
        visitor.run("data")
        assert b"are ready" in visitor.seen and not visitor.errors
        visitor.run("audit", "resamples=0")
        assert b"after" in visitor.seen and not visitor.errors
        visitor.run("report", "resamples=0")
        assert not visitor.errors
        found = {p.decode() for p in re.findall(rb"/media/[0-9a-f]+\.(?:html|json|csv|yaml)", visitor.seen)}
        assert {p.rsplit(".", 1)[1] for p in found} >= {"html", "json", "csv"}
        for path in found:
            with urllib.request.urlopen(url + path, timeout=60) as answer:
                assert len(answer.read()) > 100
    assert not [line for line in talk.lines if "Traceback" in line or "Uncaught" in line], "".join(talk.lines)[-2000:]
