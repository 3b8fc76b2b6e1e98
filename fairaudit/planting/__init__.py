"""What if: a bias planted in one of the audited tables, and everything a before-and-after comparison needs."""

from fairaudit.planting.biased import (
    AFTER,
    BEFORE,
    GROUP_COLUMNS,
    Planted,
    free_name,
    plant,
    predictor_named,
    read_description,
    replant,
    save_as_target,
    table_named,
    unplanted,
)
from fairaudit.planting.changes import VerdictChange, changed_values, describable, verdict_changes
from fairaudit.planting.proposals import (
    category_shares,
    disadvantaged_group,
    fitting_columns,
    fitting_presets,
    proposed_threshold,
    starting_step,
    starting_values,
    undecided_outcome,
)

__all__ = [
    "AFTER",
    "BEFORE",
    "GROUP_COLUMNS",
    "Planted",
    "VerdictChange",
    "category_shares",
    "changed_values",
    "describable",
    "disadvantaged_group",
    "fitting_columns",
    "fitting_presets",
    "free_name",
    "plant",
    "predictor_named",
    "proposed_threshold",
    "read_description",
    "replant",
    "save_as_target",
    "starting_step",
    "starting_values",
    "table_named",
    "undecided_outcome",
    "unplanted",
    "verdict_changes",
]
