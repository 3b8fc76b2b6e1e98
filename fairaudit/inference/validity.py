"""Measured rates of false alarms and of finds that ship with the package."""

from __future__ import annotations

from importlib.resources import files

import pandas as pd


def false_alarms() -> pd.DataFrame:
    """Share of data sets without a difference that are flagged, as ``python -m benchmarks.validity`` measured it.

    Returns
    -------
    DataFrame
        comparison, aggregation, binning, attribute; ``paper`` and ``calibrated``: rates of the paper's rule and of the calibrated verdict at
        5 %; ``estimated``: the paper rule's rate as the permutations of a single data set give it, on average.
    """
    with files("fairaudit").joinpath("data/false_alarms.csv").open(encoding="utf-8") as source:
        return pd.read_csv(source)


def power_of_verdicts() -> pd.DataFrame:
    """Share of data sets with a difference whose calibrated verdict finds it, as ``python -m benchmarks.power`` measured it.

    Returns
    -------
    DataFrame
        world ("everywhere": the difference is the same in all rows; "stretch": it is in a tenth of them), comparison, aggregation, binning,
        bins, attribute, found.
    """
    with files("fairaudit").joinpath("data/power.csv").open(encoding="utf-8") as source:
        return pd.read_csv(source)
