"""Injections into features: values set, categories moved, numbers scaled, shifted or blurred, values lost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from fairaudit.errors import SettingsError, unknown_name
from fairaudit.injection.arrays import apportion, category_moves, nested_rows, share_count, weighted_order
from fairaudit.injection.columns import category_names, number_column, percent, quoted, with_numbers, with_value
from fairaudit.injection.context import Context
from fairaudit.injection.description import Injection, number
from fairaudit.injection.groups import as_float, is_number_column, value_codes
from fairaudit.injection.spec import INJECTIONS, Change, ParameterSpec
from fairaudit.schema import category_name

QMAD = "QMAD: Quantifying Machine-learning Algorithmic Discrimination, section {}"
SHARE_HELP = "Share of the group's rows that are touched."

COLUMN = ParameterSpec(name="column", label="Column", type="column", help="Column that is changed.", required=True)
NUMERIC_COLUMN = ParameterSpec(
    name="column", label="Column", type="numeric_column", help="Numeric column that is changed.", required=True
)
CATEGORICAL_COLUMN = ParameterSpec(
    name="column", label="Column", type="categorical_column", help="Column whose categories are moved.", required=True
)
UNIT = ParameterSpec(
    name="unit",
    label="Unit",
    type="choice",
    choices=("value", "sd"),
    default="value",
    help="Whether the amount is in the column's own unit or in standard deviations of the whole column.",
)


def _check_set_value(context: Context, *, column: str, value: Any, allow_new: bool) -> None:
    found = context.column(column)
    if is_number_column(found):
        if isinstance(value, (str, bool, tuple)):
            raise SettingsError(f"The column {column!r} holds numbers; {value!r} is not one.", "Give a number.")
        number(value, "value")
        return
    if isinstance(value, tuple):
        raise SettingsError(f"One value can be set, not several: {value!r}.", "Use one step for each value, or move categories.")
    names = category_names(context, column)
    if not allow_new and category_name(value) not in names:
        error = unknown_name(f"value of the column {column!r}", category_name(value), names[:30])
        raise type(error)(error.problem, f'{error.remedy} Set "allow_new" to plant a category that does not occur.')


@INJECTIONS.register(
    name="set_value",
    label="Set a value",
    family="feature",
    summary="Records the same value for a share of the group, such as the education of all women as GRAD.",
    pitfall="Rows that had the value before count towards the share, but not as changed.",
    reference=QMAD.format("5.2.2 and 5.3.2"),
    strength_help=SHARE_HELP,
    parameters=(
        COLUMN,
        ParameterSpec(name="value", label="Value", type="value", help="Value that is recorded.", required=True),
        ParameterSpec(
            name="allow_new",
            label="Allow a new category",
            type="boolean",
            default=False,
            help="Whether the value may be one that the column has not had so far.",
        ),
    ),
    sentence=lambda i, who: f"Sets {i.get('column')} to {quoted(i.get('value'))} in {percent(i.strength)} of {who}.",
    check=_check_set_value,
)
def set_value(context: Context, *, column: str, value: Any, allow_new: bool) -> Change:
    """Record one value for a share of the group."""
    rows = nested_rows(np.flatnonzero(context.in_group), context.strength, context.rng())
    return Change({column: with_value(context.column(column), rows, value)})


def _check_resample(context: Context, *, column: str, distribution: Any) -> None:
    names = category_names(context, column)
    for category, _ in distribution:
        if category_name(category) not in names:
            raise unknown_name(f"category of the column {column!r}", category_name(category), names[:30])


def _distribution_words(injection: Injection) -> str:
    return ", ".join(f"{category_name(category)} {percent(share)}" for category, share in injection.get("distribution"))


@INJECTIONS.register(
    name="resample_categories",
    label="Move to a distribution",
    family="feature",
    summary="Moves the group's categories to a given distribution, such as 70:30 to 85:15, by changing the fewest rows.",
    pitfall="The changed rows are chosen at random, so the column loses part of its relation to the other columns.",
    reference=QMAD.format("5.2.2"),
    formula=r"p_s = (1 - s)\, p_{\text{now}} + s\, p_{\text{given}}",
    strength_help="How far the group's distribution moves from where it is (0) to the given one (1).",
    parameters=(
        CATEGORICAL_COLUMN,
        ParameterSpec(
            name="distribution",
            label="Distribution",
            type="distribution",
            help="Share of each category, summing to 1; categories that are left out get 0.",
            required=True,
        ),
    ),
    sentence=lambda i, who: (
        f"Moves {i.get('column')} {'' if i.strength == 1 else percent(i.strength) + ' of the way '}to {_distribution_words(i)} in {who}."
    ),
    check=_check_resample,
)
def resample_categories(context: Context, *, column: str, distribution: Any) -> Change:
    """Move the group's categories to a distribution, over the rows that have a value."""
    found = context.column(column)
    codes, names = value_codes(found)
    wanted = {category_name(category): share for category, share in distribution}
    names += [name for name in wanted if name not in names]
    members = np.flatnonzero(context.in_group & (codes >= 0))
    target = apportion(np.array([wanted.get(name, 0.0) for name in names]), len(members))
    items, new_codes = category_moves(codes[members], target, context.rng())
    done = share_count(context.strength, len(items))
    result = found
    for code in np.unique(new_codes[:done]):
        result = with_value(result, members[items[:done][new_codes[:done] == code]], names[code])
    return Change({column: result})


def _check_numbers(verb: str) -> Any:
    def check(context: Context, *, column: str, **others: Any) -> None:
        del others
        number_column(context, column, verb)

    return check


@INJECTIONS.register(
    name="scale",
    label="Scale a number",
    family="feature",
    summary="Multiplies a number by a factor for a share of the group, such as 30 % more relevant experience for half of the women.",
    pitfall="Values of 0 stay 0: such rows are picked, but nothing changes in them.",
    reference=QMAD.format("5.2.2"),
    formula=r"x' = f \cdot x",
    strength_help=SHARE_HELP,
    parameters=(
        NUMERIC_COLUMN,
        ParameterSpec(name="factor", label="Factor", type="number", default=1.3, help="1.3 adds 30 %, 0.7 takes 30 % away."),
    ),
    sentence=lambda i, who: f"Multiplies {i.get('column')} by {i.get('factor'):g} in {percent(i.strength)} of {who}.",
    check=_check_numbers("scaled"),
)
def scale(context: Context, *, column: str, factor: float) -> Change:
    """Multiply a number for a share of the group."""
    found = number_column(context, column, "scaled")
    rows = nested_rows(np.flatnonzero(context.in_group), context.strength, context.rng())
    return Change({column: _replace_finite(found, rows, as_float(found)[rows] * factor)})


def _replace_finite(column: pd.Series, rows: np.ndarray, numbers: np.ndarray) -> pd.Series:
    """New numbers at ``rows``; missing and infinite values stay what they are."""
    finite = np.isfinite(as_float(column)[rows]) & np.isfinite(numbers)
    return with_numbers(column, rows[finite], numbers[finite]) if finite.any() else column


def _in_unit(column: pd.Series, amount: float, unit: str) -> float:
    """An amount in the column's own unit."""
    if unit == "value":
        return amount
    values = as_float(column)
    values = values[np.isfinite(values)]
    return amount * float(values.std(ddof=1)) if len(values) > 1 else 0.0


def _amount_words(injection: Injection) -> str:
    amount = injection.get("amount")
    return f"{amount:g}" if injection.get("unit") == "value" else f"{amount:g} standard deviations"


@INJECTIONS.register(
    name="shift",
    label="Shift a number",
    family="feature",
    summary="Adds a constant to a number for a share of the group, as a device that reads too low would.",
    pitfall="Values can leave their natural range; nothing is cut off.",
    reference="Additive measurement bias",
    formula=r"x' = x + c",
    strength_help=SHARE_HELP,
    parameters=(
        NUMERIC_COLUMN,
        ParameterSpec(name="amount", label="Amount", type="number", default=1.0, help="What is added; negative amounts lower."),
        UNIT,
    ),
    sentence=lambda i, who: f"Adds {_amount_words(i)} to {i.get('column')} in {percent(i.strength)} of {who}.",
    check=_check_numbers("shifted"),
)
def shift(context: Context, *, column: str, amount: float, unit: str) -> Change:
    """Add a constant to a number for a share of the group."""
    found = number_column(context, column, "shifted")
    rows = nested_rows(np.flatnonzero(context.in_group), context.strength, context.rng())
    return Change({column: _replace_finite(found, rows, as_float(found)[rows] + _in_unit(found, amount, unit))})


@INJECTIONS.register(
    name="noise",
    label="Blur a number",
    family="feature",
    summary="Adds normal noise to a number for a share of the group: the group is measured less precisely.",
    pitfall="The mean hardly moves; metrics that look at means or rates cannot see it.",
    reference="Classical measurement error",
    formula=r"x' = x + \varepsilon,\ \varepsilon \sim \mathcal{N}(0, \sigma^2)",
    strength_help=SHARE_HELP,
    parameters=(
        NUMERIC_COLUMN,
        ParameterSpec(
            name="amount", label="Spread", type="number", default=1.0, low=0.0, help="Standard deviation of the noise."
        ),
        UNIT,
    ),
    sentence=lambda i, who: (
        f"Adds normal noise of spread {_amount_words(i)} to {i.get('column')} in {percent(i.strength)} of {who}."
    ),
    check=_check_numbers("blurred"),
)
def noise(context: Context, *, column: str, amount: float, unit: str) -> Change:
    """Add normal noise to a number for a share of the group; a row gets the same noise at every strength."""
    found = number_column(context, column, "blurred")
    rng = context.rng()
    rows = nested_rows(np.flatnonzero(context.in_group), context.strength, rng)
    errors = rng.normal(0.0, _in_unit(found, amount, unit), len(found))
    return Change({column: _replace_finite(found, rows, as_float(found)[rows] + errors[rows])})


def _check_missing(context: Context, *, column: str, depends_on: str) -> None:
    found = context.column(column)
    if depends_on != "group":
        number_column(context, column, "lost by its value")
    if not found[context.in_group].notna().any():
        raise SettingsError(f"Every value of {column!r} is missing in the group already.", "Choose another column or group.")


_LOST_FIRST = {"group": "at random", "high": "high values first to go", "low": "low values first to go"}


@INJECTIONS.register(
    name="missing",
    label="Lose values",
    family="feature",
    summary="Blanks a share of the group's values, at random within the group or with high or low values more likely to be lost.",
    pitfall="What is left is no longer a fair sample of the values, so comparing the means of what is left misleads.",
    reference="Missing not at random: D. B. Rubin, Inference and missing data, Biometrika 63, 1976",
    formula=r"P(\text{row } i \text{ is next}) \propto \operatorname{rank}(x_i)",
    strength_help="Share of the group's present values that are lost.",
    parameters=(
        COLUMN,
        ParameterSpec(
            name="depends_on",
            label="Who loses first",
            type="choice",
            choices=("group", "high", "low"),
            default="group",
            help="group: each row of the group is as likely; high, low: in proportion to the rank of the value within the group.",
        ),
    ),
    sentence=lambda i, who: (
        f"Blanks {percent(i.strength)} of the values of {i.get('column')} in {who} ({_LOST_FIRST[i.get('depends_on')]})."
    ),
    check=_check_missing,
)
def missing(context: Context, *, column: str, depends_on: str) -> Change:
    """Blank a share of the group's present values."""
    found = context.column(column)
    members = np.flatnonzero(context.in_group & found.notna().to_numpy())
    weights: np.ndarray = np.ones(len(members))
    if depends_on != "group":
        ranks = pd.Series(as_float(number_column(context, column, "lost by its value"))[members]).rank().to_numpy()
        weights = ranks if depends_on == "high" else len(members) + 1 - ranks
    rows = members[weighted_order(weights, context.rng())[: share_count(context.strength, len(members))]]
    if not len(rows):
        return Change()
    lost = np.zeros(len(found), dtype=bool)
    lost[rows] = True
    base = found.astype("boolean") if found.dtype == bool else found
    return Change({column: base.mask(lost)})
