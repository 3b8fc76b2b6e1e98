"""Long work beside the page: it shows progress, can be cancelled, and never blocks a control.

A job runs in a thread of the server. It belongs to one session, which shows it in the sidebar on every page. When the session ends, or
nobody looks at it any more, the job stops by itself.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import streamlit as st

from fairaudit.errors import CancelledError
from fairaudit.reading.memory import give_back

_ALONE_SECONDS = 60.0
_REMEMBERED = 24
_SHORT, _LONG = threading.Semaphore(2), threading.Semaphore(2)
"""Two jobs of each kind at a time over all sessions; later ones wait. Verdicts, which take seconds, never wait for the minutes of an experiment."""

Progress = Callable[[int, int], None]
Cancel = Callable[[], bool]


class Job:
    """One piece of long work.

    Attributes
    ----------
    name : str
        What it is for; a session has one job of a name at a time.
    key : str
        What it works on; another key means that the result is out of date.
    label : str
        How the sidebar calls it.
    result : object
        What the work returned, None before.
    error : FairAuditError or None
        Why it ended without a result.
    """

    def __init__(self, name: str, key: str, label: str, work: Callable[[Progress, Cancel], Any], short: bool) -> None:
        self.name, self.key, self.label = name, key, label
        self._place = _SHORT if short else _LONG
        self.result: Any = None
        self.error: BaseException | None = None
        self.done, self.total = 0, 0
        self._started: float | None = None
        self._cancelled = threading.Event()
        self._seen = time.monotonic()
        self._awaited = False
        self._thread = threading.Thread(target=self._run, args=(work,), name=f"fairaudit {name}", daemon=True)
        self._thread.start()

    def _run(self, work: Callable[[Progress, Cancel], Any]) -> None:
        with self._place:
            self._started = time.monotonic()
            try:
                if not self.cancelled():
                    self.result = work(self._report, self.cancelled)
            except CancelledError:
                self._cancelled.set()
            except BaseException as error:  # handed to the page, which shows it or raises it again
                self.error = error
        give_back()

    def _report(self, done: int, total: int) -> None:
        self.done, self.total = done, total

    def cancel(self) -> None:
        """Ask the work to stop at the next chance."""
        self._cancelled.set()

    def cancelled(self) -> bool:
        """True when the work is to stop: it was cancelled, or its visitor has left."""
        if time.monotonic() - self._seen > _ALONE_SECONDS:
            self._cancelled.set()
        return self._cancelled.is_set()

    def look(self) -> None:
        """Say that somebody still waits for the work."""
        self._seen = time.monotonic()

    @property
    def running(self) -> bool:
        """True until the work has ended in some way; a page that has been told so runs again at the end, see ``take_ends``."""
        alive = self._thread.is_alive()
        self._awaited = self._awaited or alive
        return alive

    def take_end(self) -> bool:
        """True once: when the work has ended after somebody was told that it runs."""
        ended = self._awaited and not self._thread.is_alive()
        if ended:
            self._awaited = False
        return ended

    @property
    def share(self) -> float:
        """Finished share in [0, 1]."""
        return min(1.0, self.done / self.total) if self.total else 0.0

    def remaining(self) -> str:
        """Remaining time in words; empty while it cannot be told."""
        if self._started is None:
            return "waiting for other work"
        if self.share < 0.02:
            return ""
        seconds = (time.monotonic() - self._started) * (1 - self.share) / self.share
        return f"about {seconds:.0f} s left" if seconds < 90 else f"about {seconds / 60:.0f} min left"


def _release(jobs: dict[str, Job]) -> None:
    for job in jobs.values():
        job.cancel()


@st.cache_resource(scope="session", show_spinner=False)
def _results() -> OrderedDict[tuple[str, str], Any]:
    """Results of finished jobs of this session, the newest last."""
    return OrderedDict()


@st.cache_resource(scope="session", show_spinner=False, on_release=_release)
def _board() -> dict[str, Job]:
    """Jobs of this session by name. Not in the session state, which holds values only: a thread cannot be copied."""
    return {}


def start(name: str, key: str, label: str, work: Callable[[Progress, Cancel], Any], *, short: bool = False) -> Job:
    """The job of this name and key, started if there is none; a job of the same name with another key is cancelled.

    ``short``: the work takes seconds and waits for no longer work of others.
    """
    jobs = _board()
    job = jobs.get(name)
    if job is not None and job.key == key:
        return job
    if job is not None:
        job.cancel()
    jobs[name] = Job(name, key, label, work, short)
    return jobs[name]


def result(name: str, key: str, label: str, work: Callable[[Progress, Cancel], Any]) -> tuple[Any, bool]:
    """What short work gave, and whether it is under way; it is started where it has not been done yet.

    (None, False) after it was cancelled. The newest results are remembered, so that going back to former choices costs nothing.
    """
    if (name, key) not in _results() and start(name, key, label, work, short=True).running:
        return None, True
    return finished(name, key), False


def finished(name: str, key: str) -> Any:
    """What the work of this name and key gave, None where there is nothing yet or it was cancelled; nothing is started."""
    done = _results()
    if (name, key) in done:
        done.move_to_end((name, key))
        return done[name, key]
    job = find(name, key)
    if job is None or job.running:
        return None
    raise_error(job)
    if job.result is not None:
        done[name, key] = job.result
        while len(done) > _REMEMBERED:
            done.popitem(last=False)
    return job.result


def find(name: str, key: str | None = None) -> Job | None:
    """The job of this name, when there is one and it works on ``key``."""
    job = _board().get(name)
    return job if job is not None and (key is None or job.key == key) else None


def forget(name: str) -> None:
    """Cancel a job and drop its result."""
    job = _board().pop(name, None)
    if job is not None:
        job.cancel()


def forget_all() -> None:
    """Cancel and drop every job of this session."""
    for name in list(_board()):
        forget(name)
    _results().clear()


def running() -> list[Job]:
    """Jobs of this session that have not ended."""
    return [job for job in _board().values() if job.running]


def take_ends() -> bool:
    """True once: when work has ended which the page, as it stands, shows as running; it may have ended while the page was drawn."""
    return bool([job for job in _board().values() if job.take_end()])


def raise_error(job: Job) -> None:
    """Pass on what ended a job: our own errors to the page, a bug as the bug it is."""
    if job.error is not None:
        raise job.error


@st.fragment(run_every=0.5)
def _watch() -> None:
    """Progress of the running jobs; reruns the page when one has ended."""
    jobs = running()
    for job in jobs:
        job.look()
        text = f"{job.label} · {job.done:,} of {job.total:,}" if job.total else job.label
        st.progress(job.share, text=f"{text}  \n{job.remaining()}")
        if st.button("Cancel", key=f"cancel.{job.name}", icon=":material/cancel:"):
            job.cancel()
    if take_ends():
        st.rerun()


@st.fragment(run_every=0.5)
def progress_line(name: str, units: str, kept: str) -> None:
    """Finished share, remaining time and a way to stop, on the page; the sidebar shows the same on every page and reruns the page at the end.

    Parameters
    ----------
    name : str
        Of the job.
    units : str
        What is counted, such as ``"plantings"``.
    kept : str
        What stays after a stop, in a sentence.
    """
    job = find(name)
    if job is None:
        return
    left, right = st.columns([4, 1], vertical_alignment="center")
    done = f"{job.done:,} of {job.total:,} {units}" if job.total else "starting"
    left.progress(job.share, text=" · ".join(filter(None, (done, job.remaining()))))
    if right.button("Stop here", key=f"stop.{name}", icon=":material/stop:", help=kept):
        job.cancel()


def watch() -> bool:
    """Show the running jobs of this session; False when there is none."""
    if not running():
        return False
    _watch()
    return True


__all__ = [
    "Cancel",
    "Job",
    "Progress",
    "find",
    "finished",
    "forget",
    "progress_line",
    "raise_error",
    "result",
    "running",
    "start",
    "take_ends",
    "watch",
]
