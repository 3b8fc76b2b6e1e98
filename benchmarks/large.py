"""Large files: ``python -m benchmarks.large`` writes docs/large_files.md. Two CSVs of a million rows × 15 columns by command line and browser. Linux only."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pandas as pd

from benchmarks.bench_memory import write
from benchmarks.load import CHROMIUM, ROOT, dashboard
from benchmarks.timing import table

PAGE = ROOT / "docs" / "large_files.md"


class Watch:
    """Largest resident memory of a process in MB while it is watched."""

    def __init__(self, pid: int) -> None:
        self.pid, self.peak, self.now, self._on = pid, 0.0, 0.0, True
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        while self._on:
            try:
                lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
            except OSError:
                return
            found = next((line.split()[1] for line in lines if line.startswith("VmRSS:")), None)
            if found is None:  # the process has ended
                return
            self.now = int(found) / 1024
            self.peak = max(self.peak, self.now)
            time.sleep(0.02)

    def stop(self) -> float:
        """End watching."""
        self._on = False
        self._thread.join()
        return self.peak


def processor_seconds(pid: int) -> float:
    """Processor time that a process has used so far."""
    used = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(used[11]) + int(used[12])) / os.sysconf("SC_CLK_TCK")


def command(code: list[str]) -> tuple[float, float, float]:
    """Seconds by the clock, processor seconds and peak memory of a Python process."""
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, *code], cwd=ROOT, stdout=subprocess.DEVNULL)
    watch = Watch(process.pid)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise RuntimeError(f"{code} ended with {status}")
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime, watch.stop()


def browser(files: list[Path], folder: Path) -> tuple[list[list[str]], float, float]:
    """Steps with their times, peak and idle memory of the server."""
    from playwright.sync_api import sync_playwright

    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        raise RuntimeError("no Chromium found")
    steps: list[list[str]] = []
    with dashboard(folder) as server, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=CHROMIUM)
        page = chromium.new_page()
        page.set_default_timeout(300_000)
        page.goto(server.url + "/data")
        controls = page.locator('input[type="file"]')
        controls.nth(1).wait_for(state="attached")
        watch = Watch(server.process.pid)
        time.sleep(1)
        idle, start, used = watch.now, time.perf_counter(), processor_seconds(server.process.pid)

        def step(what: str) -> None:
            seconds, cpu = time.perf_counter() - start, processor_seconds(server.process.pid) - used
            steps.append([what, f"{seconds:.0f} s", f"{cpu:.0f} s", f"{watch.peak:,.0f} MB"])
            print(steps[-1], flush=True)

        controls.nth(0).set_input_files(files[0])
        page.get_by_text("Add one or more target tables").wait_for()
        controls.nth(1).set_input_files(files[1])
        page.get_by_text("are ready").wait_for()
        step("both files uploaded, read and checked")
        page.get_by_role("link", name="Go to the audit").click()
        page.wait_for_selector(".js-plotly-plot")
        step("first verdicts (the paper's rule)")
        page.get_by_text("Calibrating: until").first.wait_for(state="detached")
        step("calibrated verdicts")
        peak = watch.stop()
        chromium.close()
    return steps, peak, idle


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    rows = parser.parse_args().rows
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = [folder / "reference.csv", folder / "target.csv"]
        for seed, file in enumerate(files):
            write(file, rows, seed)
        on_disk = sum(f.stat().st_size for f in files) / 2**20
        size = sum(int(pd.read_csv(f).memory_usage(deep=True).sum()) for f in files) / 2**20
        imports = command(["-c", "import fairaudit.cli.audit, fairaudit.inference, fairaudit.reporting"])[2]
        lines = []
        audit = [
            "-m",
            "fairaudit",
            "audit",
            "--reference",
            str(files[0]),
            "--target",
            f"day1={files[1]}",
            "--json",
            str(folder / "out.json"),
        ]
        for what, more in (("paper's rule only", ["--resamples", "0"]), ("calibrated, up to 999 permutations", [])):
            seconds, cpu, peak = command([*audit, *more])
            lines.append([what, f"{seconds:.0f} s", f"{cpu:.0f} s", f"{peak:,.0f} MB", f"{(peak - imports) / size:.1f}"])
            print(lines[-1], flush=True)
        steps, peak, idle = browser(files, folder)
    text = f"""# Large files

Made by `python -m benchmarks.large`: a reference and a target of {rows:,} rows × 15 columns, {on_disk:,.0f} MB as CSV, {size:,.0f} MB as pandas tables. Times by
the clock depend on what else the machine does; processor seconds do less.

## Command line

{imports:,.0f} MB of each peak are the imports, which the last column leaves out.

{table(["`fairaudit audit`", "time", "processor", "peak", "times the tables"], lines)}

## Browser

From choosing the first file; the limit of an upload (200 MB a file, `server.maxUploadSize`) was not changed. The idle server takes {idle:,.0f} MB; at its peak
it held {(peak - idle) / size:.1f} times the tables more, the uploaded files themselves included.

{table(["until", "time", "processor", "peak so far"], steps)}

A larger file is refused before it is read. Ways out: save it as Parquet, use the command line, which has no limit (`--sample 100000` draws a
[sample](samples.md)), or start the dashboard with a larger `--server.maxUploadSize` (in MB).
"""
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
