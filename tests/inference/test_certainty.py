"""Stability beside its value by chance, detectable differences, and why one of them is not known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import fairaudit
from fairaudit.errors import CancelledError, SettingsError
from fairaudit.inference import calibrate, certainty, certainty_seconds, detectable, stability
from fairaudit.inference.chance import stability_by_chance
from fairaudit.qmad import QmadSettings, audit_frames
from fairaudit.schema import Frames
from fairaudit.validation import check_frames

SETTINGS = QmadSettings(resamples=199, bins=4, comparison="mann_whitney", stability=40, detectable=8)


def table(seed: int, n: int, shift: float = 0.0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "height": rng.normal(shift, 1, n),
            "member": rng.choice(["no", "yes"], n, p=[0.8, 0.2]),
            "trade": rng.choice(list("abcdefghijkl"), n),
            "same": np.ones(n),
        }
    )


def data(shift: float = 0.0) -> Frames:
    return check_frames(table(1, 240), {"d": table(2, 480, shift)})


def test_audit_gives_what_the_parts_give() -> None:
    frames = data(0.2)
    whole = fairaudit.audit(
        frames.reference, list(frames.targets), resamples=199, bins=4, comparison="mann_whitney", stability=40, detectable=8
    )
    border = calibrate(frames, SETTINGS, adaptive=False)
    parts = detectable(frames, SETTINGS, stability(frames, SETTINGS, border, resamples=40), repeats=8)
    columns = ["p_adjusted", "critical_score", "stability", "detectable", "detectable_unit"]
    pd.testing.assert_frame_equal(whole.attributes()[columns], parts.attributes()[columns])
    assert whole.provenance["settings"] == SETTINGS.to_dict()


def test_a_verdict_that_was_settled_early_gets_its_border_from_all_permutations() -> None:
    frames, settings = data(), replace(SETTINGS, resamples=999)
    early = calibrate(frames, settings.verdicts_only())
    assert early.attributes()["n_resamples"].min() < 999
    found = certainty(frames, settings, early)
    assert (found.attributes()["n_resamples"].dropna() == 999).all() or found.attributes()["score"].isna().any()
    directly = audit_frames(frames, settings)
    pd.testing.assert_frame_equal(found.attributes(), directly.attributes())


def test_nothing_asked_nothing_changed() -> None:
    frames = data()
    result = calibrate(frames, SETTINGS.verdicts_only())
    assert certainty(frames, SETTINGS.verdicts_only(), result) is result


def test_chance_alone_flags_categories_often_and_is_told() -> None:
    """Without a difference, stability is about its value by chance; it is large for many small categories."""
    settings = replace(SETTINGS, comparison="chi2", bins=8, stability=80, detectable=0)
    here, chance = [], []
    for seed in range(6):
        frames = check_frames(table(10 + seed, 240), {"d": table(50 + seed, 480)})
        rows = audit_frames(frames, settings).attributes().set_index("attribute")
        here.append(rows.loc[["member", "trade"], "stability"])
        chance.append(rows.loc[["member", "trade"], "stability_null"])
    seen, expected = np.mean(here, axis=0), np.mean(chance, axis=0)
    np.testing.assert_allclose(seen, expected, atol=0.2)
    assert expected[1] > expected[0]


def test_chance_does_not_see_the_difference() -> None:
    settings = replace(SETTINGS, attributes=("height",), detectable=0, stability=80)
    rows = [audit_frames(data(shift), settings).attributes().iloc[0] for shift in (0.0, 1.0)]
    assert rows[1]["stability"] == 1.0
    assert rows[1]["stability_null"] < 0.6
    again = audit_frames(data(1.0), settings).attributes().iloc[0]
    assert again["stability_null"] == rows[1]["stability_null"]


def test_the_reason_is_told() -> None:
    frames = check_frames(
        pd.DataFrame({"height": table(1, 60)["height"], "same": np.ones(60)}),
        {"d": pd.DataFrame({"height": table(2, 80)["height"], "same": np.ones(80)})},
    )
    few = audit_frames(frames, replace(SETTINGS, resamples=19, alpha=0.04)).attributes().set_index("attribute")
    assert np.isnan(few.loc["height", "detectable"])
    assert few.loc["height", "certainty_note"] == "No score could be flagged with 19 permutations."
    # Ratios of means near zero jump so much that no shift is found reliably.
    blind = (
        audit_frames(frames, replace(SETTINGS, comparison="rom", aggregation="max", bins=10)).attributes().set_index("attribute")
    )
    assert np.isnan(blind.loc["height", "detectable"])
    assert "however large" in blind.loc["height", "certainty_note"]


def test_progress_counts_up_to_the_end_and_cancelling_stops() -> None:
    frames, seen = data(), []
    early = calibrate(frames, SETTINGS.verdicts_only())
    certainty(frames, SETTINGS, early, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (100, 100)
    assert [d for d, _ in seen] == sorted(d for d, _ in seen)
    with pytest.raises(CancelledError):
        certainty(frames, SETTINGS, early, cancel=lambda: True)
    with pytest.raises(CancelledError):
        stability_by_chance(frames, SETTINGS, certainty(frames, SETTINGS, early), cancel=lambda: True)


def test_the_estimate_grows_with_the_work() -> None:
    result = calibrate(data(), SETTINGS.verdicts_only(), adaptive=False)
    assert certainty_seconds(result, SETTINGS.verdicts_only()) == 0
    assert 0 < certainty_seconds(result, replace(SETTINGS, detectable=0)) < certainty_seconds(result, SETTINGS)


@pytest.mark.parametrize("wrong", [{"stability": -1}, {"detectable": 1}, {"stability": 2.5}, {"stability": 10, "resamples": 0}])
def test_settings_are_refused_with_a_sentence(wrong: dict[str, object]) -> None:
    with pytest.raises(SettingsError, match=r"must be 0 or|needs calibrated verdicts"):
        QmadSettings(**wrong)  # type: ignore[arg-type]
