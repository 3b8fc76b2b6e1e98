"""Long work beside the page: who waits for whom, and who hears of the end."""

import threading
import time

import pytest
from streamlit.testing.v1 import AppTest

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


def draws_slowly():
    """A page that takes longer than the work it waits for."""
    import time

    import streamlit as st

    from fairaudit.ui import frame, jobs

    if st.session_state.get("begin"):
        jobs.start("work", "key", "Work", lambda progress, cancel: time.sleep(0.3) or "found")
    with frame.work_in_progress():
        found, pending = jobs.result("work", "key", "Work", lambda progress, cancel: time.sleep(0.3) or "found")
        time.sleep(1)
        st.markdown("still waiting" if pending else found)


@pytest.mark.parametrize("begin", [False, True], ids=["begun by the page", "runs before the page is drawn"])
def test_work_that_ends_while_the_page_is_drawn_is_shown(begin):
    app = AppTest.from_function(draws_slowly, default_timeout=20)
    app.session_state["begin"] = begin
    app.run()
    assert not app.exception
    assert [m.value for m in app.markdown] == ["found"]


def test_an_end_is_told_once_and_only_to_those_who_wait():
    early, late = (jobs.start(name, "", "Work", lambda progress, cancel: True) for name in ("early", "late"))
    early._thread.join()
    late._thread.join()
    assert not early.running and not jobs.take_ends()

    go_on = threading.Event()
    job = jobs.start("early", "another", "Work", lambda progress, cancel: go_on.wait(20))
    assert job.running and not jobs.take_ends()
    go_on.set()
    wait(job)
    assert [jobs.take_ends(), jobs.take_ends()] == [True, False]
