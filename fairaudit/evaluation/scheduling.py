"""Running units on one process, several processes, or a Dask cluster; the numbers are the same everywhere."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any

import joblib
from joblib.externals.loky.process_executor import TerminatedWorkerError

from fairaudit.errors import FairAuditError, SettingsError

Task = tuple[Callable[..., Any], tuple[Any, ...]]
CONNECT_SECONDS = 10


def run_tasks(tasks: Sequence[Task], n_jobs: int = 1, scheduler: str | None = None) -> Generator[tuple[int, Any], None, None]:
    """Yield (position, result) of every task as it ends; in order only with one worker.

    Closing the iterator early gives up the tasks that have not begun.

    Parameters
    ----------
    tasks : sequence of (function, arguments)
        Functions of a module, so that another process can import them.
    n_jobs : int
        Number of processes; -1 is one per core.
    scheduler : str, optional
        Address of a Dask scheduler such as ``"tcp://10.0.0.5:8786"``; its workers run the tasks then and ``n_jobs`` is ignored.

    Raises
    ------
    SettingsError
        If the number of processes is 0, or there is no Dask or no scheduler at the address.
    FairAuditError
        If a process ended in the middle of a task.
    """
    if scheduler is None and (isinstance(n_jobs, bool) or int(n_jobs) != n_jobs or n_jobs == 0):
        raise SettingsError(f"The number of processes must be 1 or more, or -1 for one per core. Got {n_jobs!r}.", "Choose 1.")
    if scheduler is None and n_jobs == 1:
        for position, (function, arguments) in enumerate(tasks):
            yield position, function(*arguments)
        return
    with _backend(n_jobs, scheduler):
        parallel = joblib.Parallel(return_as="generator_unordered", pre_dispatch="2*n_jobs", batch_size=1)
        results = parallel(joblib.delayed(_numbered)(position, *task) for position, task in enumerate(tasks))
        try:
            # Not "yield from", which would close the results before the warning filter below is in place.
            for item in results:  # noqa: UP028
                yield item
        except TerminatedWorkerError:
            raise FairAuditError(
                "A worker process ended in the middle of its work: it was stopped from outside, most often by the system for want of memory.",
                "Run it again, with fewer processes if memory is short. The tables that are loaded are not affected.",
            ) from None
        finally:
            with warnings.catch_warnings():
                # joblib warns that it gives up running tasks; that is what closing early asks for.
                warnings.simplefilter("ignore", UserWarning)
                results.close()


def _numbered(position: int, function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[int, Any]:
    """Result of a task with its position."""
    return position, function(*arguments)


def worker_count(n_jobs: int, scheduler: str | None) -> int:
    """How many tasks run at the same time."""
    if scheduler is None:
        return int(joblib.effective_n_jobs(n_jobs))
    with _client(scheduler) as client:
        return max(1, sum(client.nthreads().values()))


@contextlib.contextmanager
def _backend(n_jobs: int, scheduler: str | None) -> Iterator[None]:
    """Processes of this machine, or a Dask cluster."""
    if scheduler is None:
        with joblib.parallel_config(backend="loky", n_jobs=n_jobs):
            yield
        return
    with _client(scheduler), joblib.parallel_config(backend="dask", n_jobs=-1):
        yield


@contextlib.contextmanager
def _client(scheduler: str) -> Iterator[Any]:
    """A connection to a Dask scheduler."""
    try:
        from dask.distributed import Client
    except ImportError:
        raise SettingsError(
            "Running on a cluster needs the package dask.distributed, which is not installed.",
            "Install it with: pip install 'fairaudit[cluster]'",
        ) from None
    try:
        client = Client(scheduler, timeout=CONNECT_SECONDS, set_as_default=True)
    except (OSError, ValueError) as error:
        raise SettingsError(
            f"There is no Dask scheduler at {scheduler!r}: {error}",
            "Start one with 'dask scheduler', and give its address, such as tcp://127.0.0.1:8786.",
        ) from error
    with client:
        yield client
