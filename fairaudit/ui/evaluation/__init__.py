"""Fair vs biased: choose a table and a bias, run the experiment, read what it means."""

from fairaudit.ui.evaluation.choices import choose_experiment
from fairaudit.ui.evaluation.runs import run
from fairaudit.ui.evaluation.show import show
from fairaudit.ui.evaluation.tables import choose_table

__all__ = ["choose_experiment", "choose_table", "run", "show"]
