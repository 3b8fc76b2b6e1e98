"""A worker process that is killed gives a sentence, and the next run works again."""

import os
import signal

import pytest

from fairaudit.errors import FairAuditError
from fairaudit.evaluation.scheduling import run_tasks


def _square(x: int) -> int:
    return x * x


def _killed() -> None:
    """What the system does to a process when memory runs out."""
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
@pytest.mark.filterwarnings("ignore:A worker stopped:UserWarning")
def test_a_killed_worker_is_told_and_the_next_run_works():
    with pytest.raises(FairAuditError, match="worker process ended") as caught:
        list(run_tasks([(_square, (2,)), (_killed, ()), (_square, (3,))], n_jobs=2))
    assert "fewer processes" in caught.value.remedy
    assert sorted(run_tasks([(_square, (2,)), (_square, (3,))], n_jobs=2)) == [(0, 4), (1, 9)]
