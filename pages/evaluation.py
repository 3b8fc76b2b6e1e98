"""Train on data with a planted bias, evaluate on the fair and on the biased test set, with and without mitigation."""

from fairaudit.ui import evaluation, state
from fairaudit.ui.components import friendly_errors, page_head

page_head(
    "Fair vs biased",
    "If models learn from data with this bias: what does a biased test set say about them, what does a fair one say, and which method helps?",
)
with friendly_errors():
    table = evaluation.choose_table()
    experiment = evaluation.choose_experiment(table)
    result = evaluation.run(experiment)
    if result is not None:
        state.remember_evaluation(result)
        evaluation.show(result)
