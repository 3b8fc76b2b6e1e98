"""Long work beside the page: who waits for whom."""

import threading
import time

import pytest

from fairaudit.ui import jobs


@pytest.fixture(autouse=True)
def own_board(monkeypatch):
    """Jobs and places of this test alone."""
    board = {}
    monkeypatch.setattr(jobs, "_board", lambda: board)
    monkeypatch.setattr(jobs, "_SHORT", threading.Semaphore(2))
    monkeypatch.setattr(jobs, "_LONG", threading.Semaphore(2))


def wait(job, seconds=20):
    deadline = time.monotonic() + seconds
    while job.running:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return job.result


def test_verdicts_do_not_wait_for_the_experiments_of_others():
    end = threading.Event()

    def experiment(progress, cancel):
        return end.wait(60)

    long = [jobs.start(f"experiment {i}", "", "An experiment", experiment) for i in range(3)]
    deadline = time.monotonic() + 20
    while sum(job.remaining() != "waiting for other work" for job in long) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert wait(jobs.start("verdicts", "", "Verdicts", lambda progress, cancel: "done", short=True)) == "done"
    assert [job.running for job in long] == [True] * 3
    assert sorted(job.remaining() == "waiting for other work" for job in long) == [False, False, True]
    end.set()
    assert [wait(job) for job in long] == [True] * 3
