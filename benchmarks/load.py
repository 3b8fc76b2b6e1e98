"""Several visitors at once: ``python -m benchmarks.load --minutes 3`` writes docs/load.md.

Ten sessions without a browser and two tabs of a real Chromium upload tables of their own, walk through Data, Audit and Baselines with changing
choices, leave, and come back as new sessions. Every table, column and file of a visit bears a mark that no other visit has; what the server
sends must bear no other mark. After each round everybody leaves, and the memory of the server is read once Streamlit has let go of the
sessions. Linux only; needs the development packages and Chromium.
"""

from __future__ import annotations

import argparse
import itertools
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.timing import table
from benchmarks.visitor import Visitor

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "load.md"
HOST = "127.0.0.1"
SESSIONS, TABS = 10, 2
LET_GO = 130
"""Seconds after which Streamlit drops a session that has lost its connection (two minutes), and a little more."""
MARK = re.compile(rb"zq\d{5}q")
_COUNTER = itertools.count(1)
_PAIRS = ("ks-harmonic", "ad-harmonic", "rom-arithmetic")
CHROMIUM = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    f"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE {HOST}",
]


@dataclass
class Server:
    """A started dashboard."""

    url: str
    log: Path
    process: subprocess.Popen[bytes]

    def status(self, name: str) -> int:
        """An entry of the system's table of the process: VmRSS in kB, Threads."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(next(line.split()[1] for line in text.splitlines() if line.startswith(f"{name}:")))

    def megabytes(self) -> float:
        """Resident memory."""
        return self.status("VmRSS") / 1024


@contextmanager
def dashboard(folder: Path, **options: object) -> Iterator[Server]:
    """Start the dashboard on a free port of this machine, and stop it at the end."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port = probe.getsockname()[1]
    settings = {
        "server.address": HOST,
        "server.port": port,
        "server.headless": "true",
        "server.fileWatcherType": "none",
        **options,
    }
    log = folder / f"server-{port}.log"
    command = [sys.executable, "-m", "streamlit", "run", "app.py", *(f"--{name}={value}" for name, value in settings.items())]
    with log.open("wb") as stream:
        process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=stream, stderr=subprocess.STDOUT)
        try:
            url = f"http://{HOST}:{port}"
            deadline = time.monotonic() + 90
            while not _healthy(url):
                if process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"The dashboard did not start: {log.read_text(errors='replace')[-1000:]}")
                time.sleep(0.2)
            yield Server(url, log, process)
        finally:
            process.terminate()
            process.wait(30)


def _healthy(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


@dataclass
class Tally:
    """What the visitors of a round saw; shared by their threads."""

    visits: int = 0
    runs: list[float] = field(default_factory=list)
    audits: list[float] = field(default_factory=list)
    crossed: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    tabs: int = 0

    def check(self, own: str, seen: bytes, expected: bool, where: str) -> None:
        """Note marks of others, and a page that lacks the own one."""
        found = {mark.decode() for mark in MARK.findall(seen)}
        if found - {own}:
            self.crossed.append(f"{where} of {own} shows {sorted(found - {own})}")
        if expected and own not in found:
            self.errors.append(f"{where} of {own} does not show its own tables")


def tables(mark: str, seed: int, rows: int) -> dict[str, bytes]:
    """A reference and a target as CSV, with the mark in every name."""
    rng = np.random.default_rng(seed)
    result = {}
    for name, shift, n in (("reference", 0.0, rows), ("target", 0.3, rows + seed % 97)):
        data = {f"{mark}_x{k}": rng.normal(shift * (k == seed % 6), 1, n).round(4) for k in range(6)}
        data[f"{mark}_sex"] = rng.choice([f"{mark}_f", f"{mark}_m"], n)
        data[f"{mark}_hired"] = rng.choice(["yes", "no"], n)
        result[f"{mark}_{name}.csv"] = pd.DataFrame(data).to_csv(index=False).encode()
    return result


def visit(server: Server, tally: Tally, stop: threading.Event, rows: int) -> None:
    """One session from its first page to its end."""
    number = next(_COUNTER)
    mark = f"zq{number:05d}q"
    reference, target = tables(mark, number, rows).items()
    with Visitor(server.url) as visitor:

        def run(page: str, query: str = "", expected: bool = True) -> None:
            tally.runs.append(visitor.run(page, query))
            tally.check(mark, visitor.seen, expected, page or "start")
            tally.errors.extend(f"{page or 'start'} of {mark}: {error}" for error in visitor.errors)

        run("", expected=False)
        run("data", expected=False)
        visitor.upload("Reference table", dict([reference]))
        visitor.upload("Target tables", dict([target]))
        run("data")
        for turn in range(2):
            query = f"bins={5 + (number + turn) % 20}&pair={_PAIRS[(number + turn) % 3]}&resamples={(99, 199, 499)[number % 3]}&seed={number}"
            start = time.perf_counter()
            run("audit", query)
            while b"Calibrating: until" in visitor.seen and not stop.is_set():
                time.sleep(2)
                run("audit", query)
            if stop.is_set():
                break
            tally.audits.append(time.perf_counter() - start)
            run("baselines", query)
        run("data")
    tally.visits += 1


def visits(server: Server, tally: Tally, stop: threading.Event, rows: int) -> None:
    """Sessions one after the other until the round ends."""
    while not stop.is_set():
        try:
            visit(server, tally, stop, rows)
        except (OSError, TimeoutError, KeyError, RuntimeError) as error:
            tally.errors.append(f"{type(error).__name__}: {error}")
            time.sleep(1)


def tabs(server: Server, tally: Tally, stop: threading.Event, rows: int, folder: Path) -> None:
    """Two tabs side by side, each a session of its own, opened anew until the round ends."""
    from playwright.sync_api import Error, sync_playwright

    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        tally.errors.append("no Chromium found")
        return
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM)
        while not stop.is_set():
            contexts = [browser.new_context() for _ in range(TABS)]
            try:
                _two_tabs(server, tally, [context.new_page() for context in contexts], rows, folder)
            except Error as error:
                tally.errors.append(f"tab: {str(error)[:300]}")
            for context in contexts:
                context.close()
        browser.close()


def _two_tabs(server: Server, tally: Tally, pages: list[Any], rows: int, folder: Path) -> None:
    idle = '[data-testid="stApp"][data-test-script-state="notRunning"]'
    marks = [f"zq{next(_COUNTER):05d}q" for _ in pages]
    files = []
    for mark in marks:
        paths = []
        for name, content in tables(mark, int(mark[2:-1]), rows).items():
            paths.append(folder / name)
            paths[-1].write_bytes(content)
        files.append(paths)
    for page in pages:
        page.on("pageerror", lambda error: tally.errors.append(f"tab: {error}"))
        page.goto(server.url + "/data", timeout=300_000)
    for page, (reference, target) in zip(pages, files, strict=True):
        controls = page.locator('input[type="file"]')
        controls.nth(1).wait_for(state="attached", timeout=300_000)
        controls.nth(0).set_input_files(reference)
        page.get_by_text("Add one or more target tables").wait_for(timeout=300_000)
        controls.nth(1).set_input_files(target)
    for page in pages:
        page.get_by_text("are ready").wait_for(timeout=300_000)  # the reference alone is one, and has a link too
        page.get_by_role("link", name="Go to the audit").click(timeout=300_000)
    for page, mark in zip(pages, marks, strict=True):
        page.wait_for_selector(".js-plotly-plot", timeout=300_000)
        page.wait_for_selector(idle, timeout=300_000)
        tally.check(mark, page.content().encode(), True, "audit in a tab")
        if page.get_by_test_id("stAlertContentError").count() or page.get_by_test_id("stException").count():
            tally.errors.append(f"tab of {mark}: an error box")
    tally.tabs += len(pages)
    for paths in files:
        for file in paths:
            file.unlink()


def round_of(server: Server, minutes: float, rows: int, folder: Path) -> tuple[Tally, float]:
    """All visitors for some minutes; what they saw and the peak of the server's memory in MB."""
    tally, stop = Tally(), threading.Event()
    crowd = [threading.Thread(target=visits, args=(server, tally, stop, rows), daemon=True) for _ in range(SESSIONS)]
    crowd.append(threading.Thread(target=tabs, args=(server, tally, stop, rows, folder), daemon=True))
    for thread in crowd:
        thread.start()
    end, peak = time.monotonic() + 60 * minutes, 0.0
    while any(thread.is_alive() for thread in crowd):
        if time.monotonic() > end:
            stop.set()
        peak = max(peak, server.megabytes())
        time.sleep(0.3)
    return tally, peak


def leave(server: Server) -> None:
    """Wait until the sessions are dropped; the next visitor who comes and goes makes Streamlit look."""
    time.sleep(LET_GO)
    for _ in range(2):
        with Visitor(server.url) as visitor:
            visitor.run()
        time.sleep(3)


def main() -> None:
    """Two rounds, and the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=3, help="length of a round")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--rows", type=int, default=20_000, help="rows of each table")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with dashboard(folder) as server:
            with Visitor(server.url) as visitor:
                visitor.run()
            memory = [["before the first visitor", f"{server.megabytes():,.0f} MB", str(server.status("Threads"))]]
            rows, tallies = [], []
            for number in range(1, options.rounds + 1):
                tally, peak = round_of(server, options.minutes, options.rows, folder)
                memory.append([f"round {number}, peak", f"{peak:,.0f} MB", ""])
                memory.append([f"round {number}, all gone", f"{server.megabytes():,.0f} MB", str(server.status("Threads"))])
                leave(server)
                memory.append(
                    [f"round {number}, {LET_GO} s later", f"{server.megabytes():,.0f} MB", str(server.status("Threads"))]
                )
                rows.append(
                    [
                        str(number),
                        str(tally.visits),
                        str(tally.tabs),
                        f"{len(tally.runs):,}",
                        f"{np.median(tally.runs):.2f} s" if tally.runs else "none",
                        f"{np.median(tally.audits):.1f} s" if tally.audits else "none",
                        str(len(tally.crossed)),
                        str(len(tally.errors)),
                    ]
                )
                tallies.append(tally)
                print(rows[-1], memory[-3:], tally.crossed[:5], tally.errors[:10], flush=True)
            log = server.log.read_text(errors="replace")
    tracebacks = len(re.findall(r"^Traceback|Uncaught app", log, re.MULTILINE))
    if tracebacks:
        print(log[-5000:])
    seen = ["round", "sessions", "tabs", "page runs", "median run", "median audit, calibrated", "crossed data", "errors"]
    text = f"""# Several visitors at once

Made by `python -m benchmarks.load --minutes {options.minutes:g} --rounds {options.rounds}`: {SESSIONS} sessions without a browser and {TABS} tabs of a real one at any time, on two
processor cores shared with the visitors themselves. Each uploads two tables of its own (about {options.rows:,} rows × 8 columns each), audits them with changing
pairs, bins and numbers of permutations until the verdicts are calibrated, looks at the baselines, and leaves. Every file, column and category
of a visit bears a mark of its own; whatever the server sends is searched for marks of others.

{table(seen, rows)}

Tracebacks in the server's log: {tracebacks}.

## Memory of the server

Streamlit keeps a session for two minutes after its connection was lost, so that a visitor whose network failed finds the work again. It drops
such sessions when the next visitor comes or goes, not by a clock: the last visitor's tables stay in memory until then, unless *Forget
everything* was pressed.

{table(["when", "resident memory", "threads"], memory)}
"""
    PAGE.write_text(text, encoding="utf-8")
    if tracebacks or any(tally.crossed or tally.errors for tally in tallies):
        sys.exit(1)


if __name__ == "__main__":
    main()
