"""A server that runs for months: no foreign log handlers, no notices, nothing of former audits kept alive."""

import gc
import subprocess
import sys

import numpy as np
import pandas as pd

import fairaudit
from fairaudit.schema import AuditTable, Frames

MANNERS = """
import logging
from fairaudit.datasets import course_grades, GRADES_SCHEMA
import fairaudit
table = course_grades().head(400)
fairaudit.audit(table, table.tail(200), schema=GRADES_SCHEMA, resamples=19)
fairaudit.baselines(table, table.tail(200), schema=GRADES_SCHEMA)
fairaudit.evaluate(
    table, GRADES_SCHEMA, injection={"kind": "label"}, levels=(0, 0.3), models=("decision_tree",), mitigations=("none", "eop", "ceo"), folds=3
)
assert not logging.getLogger().handlers, logging.getLogger().handlers
"""


def test_nothing_is_printed_and_the_root_logger_stays_empty():
    done = subprocess.run([sys.executable, "-c", MANNERS], capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout == ""
    assert done.stderr == ""


def alive() -> int:
    """Number of tables that something still holds."""
    gc.collect()
    return sum(isinstance(thing, (pd.DataFrame, AuditTable, Frames, fairaudit.AuditResult)) for thing in gc.get_objects())


def test_no_table_outlives_its_audit_over_two_hundred_audits():
    rng = np.random.default_rng(0)

    def table(n):
        score = rng.random(n)
        return pd.DataFrame(
            {"age": rng.normal(40, 10, n), "sex": rng.choice(["F", "M"], n), "decision": np.where(score > 0.5, "yes", "no")}
        )

    schema = fairaudit.Schema(prediction="decision", pos_label="yes", sensitive_features=("sex",))

    def once():
        reference, target = table(60), table(80)
        fairaudit.audit(reference, target, bins=3, resamples=0, schema=schema)
        fairaudit.baselines(
            reference, target, schema=schema, resamples=20, metrics=["statistical_parity_difference", "disparate_impact"]
        )

    for _ in range(3):
        once()
    before = alive()
    for _ in range(200):
        once()
    assert alive() <= before
