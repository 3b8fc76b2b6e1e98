"""Comparison functions over all bins, or all resamples, at once; pure numpy and scipy."""

from fairaudit.kernels.chunks import BinChunk, Chunk, ResampleChunk, bin_chunks
from fairaudit.kernels.functions import KS_EXACT_ROWS, Kernel

__all__ = ["KS_EXACT_ROWS", "BinChunk", "Chunk", "Kernel", "ResampleChunk", "bin_chunks"]
