"""What the classical metrics say about the same data, next to QMAD."""

from fairaudit.ui import comparison, state
from fairaudit.ui.cache import baseline_metrics
from fairaudit.ui.components import friendly_errors, need_tables, page_head

page_head("Baselines", "What do the classical fairness metrics say about the same data, and do they agree with QMAD?")
frames = need_tables().frames
with friendly_errors():
    settings, pairs = comparison.choices(frames)
    state.remember_baselines(frames, settings)
    result = baseline_metrics(frames, settings)
    comparison.answer(frames, result, pairs, settings.contrast, comparison.planted())
    comparison.groups(frames, result, settings)
    comparison.tables(result)
