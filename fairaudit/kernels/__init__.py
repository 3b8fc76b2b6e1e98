"""Comparison functions over all bins, or all resamples, at once; pure numpy and scipy."""

from fairaudit.kernels.chunks import BinChunk, Chunk, bin_chunks
from fairaudit.kernels.functions import KS_EXACT_ROWS, KS_EXACT_ROWS_SCIPY, Kernel
from fairaudit.kernels.resamples import ResampleChunk, UnsortedChunk

__all__ = ["KS_EXACT_ROWS", "KS_EXACT_ROWS_SCIPY", "BinChunk", "Chunk", "Kernel", "ResampleChunk", "UnsortedChunk", "bin_chunks"]
