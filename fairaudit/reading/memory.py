"""Memory that was needed for a moment goes back to the system."""

from __future__ import annotations

import ctypes

import pyarrow as pa


def give_back() -> None:
    """Return freed memory to the system, where its allocators can.

    Reading a large file needs several times its size for a moment, and so do permutations of many rows. Allocators keep that for later, which a long
    audit or a server whose visitors have left never uses.
    """
    pa.default_memory_pool().release_unused()
    # Only the C library of GNU systems has it; elsewhere memory returns by itself or stays.
    trim = getattr(ctypes.pythonapi, "malloc_trim", None)
    if trim is not None:
        trim(0)
