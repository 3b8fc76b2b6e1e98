"""Every figure on made-up data with long names, strange characters and cells that cannot be measured.

``python -m tests.charts.gallery FOLDER`` writes one HTML file per theme, and pictures where a browser is installed.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairaudit import charts
from fairaudit.comparison import COMPARISONS
from fairaudit.detectability import DETECTORS
from fairaudit.inference import false_alarms, power_of_verdicts

FRAMES = ("day 1", "day 2 (biased)", "day 3", "2024-04-01")
ATTRIBUTES = (
    "predicted salary",
    "age",
    "experience",
    "relevant experience",
    "education",
    "job location",
    "engineer type",
    "gender",
    'household_income_before_tax_and_transfers_in_the_previous_calendar_year_<b>"bold"</b>',
    "<a href='https://x.example'>click</a> & $\\frac{a}{b}$ %{x}",
    "notes: constant",
    "国籍（申請時の申告による）とその他の属性情報",
)
NASTY = "<b>bold</b> & <a href='x'>y</a> $a$ %{x}"


def attributes(
    kind: str, groups: tuple[str, ...] = ("",), frames: tuple[str, ...] = FRAMES, names: tuple[str, ...] = ATTRIBUTES
) -> pd.DataFrame:
    """Like ``AuditResult.attributes()``; ``kind`` names the comparison."""
    rng = np.random.default_rng(1)
    spec = COMPARISONS[kind]
    rows = []
    for f, frame in enumerate(frames):
        for group in groups:
            for a, name in enumerate(names):
                biased = f == 1 and a in (0, 4, 5, 8)
                if spec.is_p_value:
                    score = float(10 ** -rng.uniform(2, 40)) if biased else float(rng.uniform(0.03, 1))
                    if kind == "ad":
                        score = float(np.clip(score, 0.001, 0.25))
                    if biased and a == 4 and kind == "ks":
                        score = 0.0
                else:
                    score = float(rng.uniform(0.12, 0.7)) if biased else float(rng.uniform(0, 0.06))
                gone = a == 10 or (f == 2 and a == 9)
                flag = None if gone else (score < 0.05 if spec.is_p_value else score > 0.1)
                comparison = kind if a != 9 else ("chi2" if spec.is_p_value else "total_variation")
                rows.append(
                    {
                        "frame": frame,
                        "group": group,
                        "attribute": name,
                        "comparison": comparison,
                        "score": np.nan if gone else score,
                        "paper_flag": flag,
                        "p_value": np.nan if gone else max(0.001, score if spec.is_p_value else 0.5 - score),
                        "p_adjusted": np.nan if gone else min(1.0, 4 * max(0.001, score if spec.is_p_value else 0.5 - score)),
                        "effect": np.nan if gone else 0.12,
                        "direction": "" if gone else "more POST-GRAD" if a == 4 else "higher",
                        "verdict": "not_measurable" if gone else "disparity" if flag else "no_evidence",
                        "note": "Not defined in any bin: one distinct value on both sides." if gone else "",
                        "effect_kind": "d",
                        "mean_target": 51_250.5,
                        "mean_reference": 50_000.25,
                        "n_target": 20_000 - 13 * a,
                        "n_reference": 10_000,
                        "normalised": np.nan if gone else score / (1 + score),
                        "rule": "p < 0.05" if spec.is_p_value else "score > 0.1",
                        "target_side": f"{frame}{', ' + group if group else ''}",
                        "reference_side": f"hiring_reference{', sex = F' if group else ''}",
                    }
                )
    frame = pd.DataFrame(rows)
    frame["paper_flag"] = frame["paper_flag"].astype("boolean")
    return frame


def certain(table: pd.DataFrame) -> pd.DataFrame:
    """Such attributes with stability and detectable differences; some are not known."""
    rng = np.random.default_rng(6)
    shares = table["attribute"].isin(["education", "job location", "engineer type", "gender", ATTRIBUTES[9]])
    found = table.assign(
        effect_kind=np.where(table["attribute"] == ATTRIBUTES[9], "V", np.where(shares, "h", "d")),
        mean_target=np.where(shares, 0.31, 51_250.5),
        mean_reference=np.where(shares, 0.28 + 0.02 * rng.random(len(table)), 50_000.25),
        stability=np.where(table["verdict"] == "disparity", 0.97, rng.uniform(0, 0.5, len(table))),
        stability_null=rng.uniform(0, 0.4, len(table)),
        detectable=np.where(shares, rng.uniform(0.02, 0.05, len(table)), rng.uniform(0.05, 0.3, len(table))),
        detectable_unit=np.where(shares, "share", "sd"),
        certainty_note="",
    )
    unknown = found["attribute"] == "age"
    found.loc[unknown, ["detectable", "certainty_note"]] = [
        np.nan,
        "No difference that was planted, however large, is flagged with 80% power.",
    ]
    found.loc[found["verdict"] == "not_measurable", ["stability", "stability_null", "detectable"]] = np.nan
    return found


def bins(kind: str, n: int = 10) -> pd.DataFrame:
    """Like ``AuditResult.bins()`` of one frame."""
    rng = np.random.default_rng(2)
    spec = COMPARISONS[kind]
    rows = []
    for a, name in enumerate(ATTRIBUTES):
        for b in range(1, n + 1):
            biased = a in (0, 4, 5, 8)
            if spec.is_p_value:
                score = float(10 ** -rng.uniform(1, 22)) if biased else float(rng.uniform(0.02, 1))
                if kind == "ad":
                    score = float(np.clip(score, 0.001, 0.25))
                if biased and b == 4 and kind == "ks":
                    score = 0.0
            else:
                score = float(rng.uniform(0.05, 0.7)) if biased else float(rng.uniform(0, 0.08))
            gone = a == 10 or (a in (2, 4) and b <= 2)
            rows.append(
                {
                    "frame": FRAMES[1],
                    "group": "",
                    "attribute": name,
                    "bin": b,
                    "score": np.nan if gone else score,
                    "n_target": 2000 + (b == 3) * 40,
                    "n_reference": 1000,
                    "mean_target": 50_000 + 900 * b + rng.normal(0, 150),
                    "mean_reference": 48_500 + 880 * b + rng.normal(0, 150),
                    "note": "the reference mean is 0" if gone else "",
                }
            )
    return pd.DataFrame(rows)


def baseline_rows() -> pd.DataFrame:
    """Like ``baselines(...).to_frame()``."""
    rng = np.random.default_rng(3)
    rows = []
    metrics = [*METRICS]
    for f, frame in enumerate(FRAMES):
        for m, metric in enumerate(metrics):
            ratio = metric == "disparate_impact"
            value = (1.45 if f == 1 else 1.02 + 0.01 * f) if ratio else (0.16 if f == 1 and m != 4 else rng.normal(0.0, 0.02))
            gone = m == 5 and f in (0, 3)
            flag = (not 0.8 <= value <= 1.25) if ratio else abs(value) > 0.1
            rows.append(
                {
                    "frame": frame,
                    "group": "",
                    "metric": metric,
                    "value": np.nan if gone else value,
                    "low": np.nan if gone else value - 0.04,
                    "high": np.nan if gone else value + 0.05,
                    "verdict": "not_measurable" if gone else "disparity" if flag else "no_evidence",
                    "note": "The group has no positive labels." if gone else "",
                }
            )
    rows[8]["verdict"] = "disparity"
    return pd.DataFrame(rows)


METRICS = {
    "statistical_parity_difference": "Statistical parity difference",
    "disparate_impact": "Disparate impact",
    "empirical_difference_fairness": "Smoothed empirical differential fairness",
    "consistency": "Consistency",
    "qdd": "Quantile demographic disparity",
    "equal_opportunity_difference": "Equal opportunity difference",
    "average_odds_difference": "Average odds difference",
}
METHODS = {
    "none": "No mitigation",
    "reweighing": "Reweighing",
    "massaging": "Massaging",
    "ftu": "Fairness through unawareness",
    "eop": "Equalized odds post-processing",
    "ceo": "Calibrated equalized odds",
    "roc_spd": "Reject option, SPD",
    "roc_eqop": "Reject option, EqOp",
    "roc_avod": "Reject option, AvOd",
}


def group_rates() -> pd.DataFrame:
    """Rates of six groups."""
    groups = {
        "Female · White": 8642,
        "Female · Black": 1555,
        "Male · White": 19174,
        "Male · Black": 1569,
        "Male · Amer-Indian-Eskimo <other>": 192,
        "one member": 1,
    }
    rows = []
    for m, metric in enumerate(("Selection rate", "True positive rate", "False positive rate", "Accuracy")):
        for g, (group, n) in enumerate(groups.items()):
            value = 0.1 + 0.12 * m + 0.05 * g
            half = 1.3 * np.sqrt(value * (1 - value) / n)
            gone = n == 1 and m in (1, 2)
            rows.append(
                {
                    "group": group,
                    "metric": metric,
                    "value": np.nan if gone else value,
                    "low": np.nan if gone else max(0, value - half),
                    "high": np.nan if gone else min(1, value + half),
                    "n": n,
                    "note": "no positive labels" if gone else "",
                }
            )
    return pd.DataFrame(rows)


def impact_ratios() -> pd.DataFrame:
    """Impact ratios of six groups."""
    rates = group_rates().query("metric == 'Selection rate'").copy()
    rates["value"] = [0.36, 0.72, 1.0, 0.91, 1.31, np.nan]
    rates["low"], rates["high"] = rates["value"] - 0.06, rates["value"] + 0.07
    return rates


def detector_rates(n: int) -> pd.DataFrame:
    """Detection rates over the strength."""
    rows = []
    for i, name in enumerate(DETECTORS[:n]):
        for s in np.linspace(0, 1, 11):
            rate = 0.05 + 0.95 / (1 + np.exp(-(s - 0.2 - 0.11 * i) * 16)) - 0.95 / (1 + np.exp((0.2 + 0.11 * i) * 16))
            rate = float(np.clip(rate, 0, 1)) if i != 6 else 0.05
            rows.append(
                {
                    "detector": name,
                    "strength": round(float(s), 2),
                    "flag_rate": rate,
                    "low": max(0, rate - 0.12),
                    "high": min(1, rate + 0.1),
                }
            )
    return pd.DataFrame(rows)


def evaluation_summary(methods: int = 9) -> pd.DataFrame:
    """Mean and spread over folds."""
    rng = np.random.default_rng(5)
    rows = []
    for m, method in enumerate(list(METHODS)[:methods]):
        for test_set in ("fair", "biased"):
            for level in np.round(np.linspace(0, 1, 11), 1):
                drop = (0.35 if test_set == "fair" else 0.7) * level * (1 - 0.09 * m)
                broken = m == 4 and level >= 0.9
                rows.append(
                    {
                        "mitigation": method,
                        "test_set": test_set,
                        "level": float(level),
                        "mean": np.nan if broken and level == 1 else -drop - 0.03 + rng.normal(0, 0.01),
                        "std": np.nan if broken and level == 1 else 0.05 + 0.02 * level,
                        "n_ok": 7 if broken else 10,
                        "n_folds": 10,
                    }
                )
    return pd.DataFrame(rows)


def scatter_summary() -> pd.DataFrame:
    """Fair and biased means of six metrics and three methods."""
    rng = np.random.default_rng(6)
    rows = [
        {
            "metric": metric,
            "mitigation": method,
            "level": float(level),
            "fair": 0.9 - 0.2 * level * (m + 1) / 3 + rng.normal(0, 0.01),
            "biased": 0.9 - 0.45 * level * (m + 1) / 3 + 0.1 * j + rng.normal(0, 0.01),
        }
        for m, metric in enumerate(
            (
                "Accuracy",
                "Balanced accuracy",
                "Statistical parity difference",
                "Equalized odds difference",
                "Balanced conditioned consistency",
            )
        )
        for j, method in enumerate(("none", "reweighing", "massaging", "eop"))
        for level in np.linspace(0, 1, 11)
    ]
    return pd.DataFrame(rows)


RATINGS = (
    ("close_to_fair", "✓✓", "better than no mitigation and close to the fair baseline"),
    ("better", "✓", "better than no mitigation"),
    ("mixed", "✱", "better in some cells, worse in others"),
    ("not_better", "✗", "no better than no mitigation"),
    ("harmful", "✗✗", "adds unfairness"),
    ("not_measurable", "–", "not measurable"),
)


def ratings() -> pd.DataFrame:
    """Ratings of methods under biases."""
    rng = np.random.default_rng(7)
    rows = []
    for method in list(METHODS)[1:]:
        for column in ("Label bias", "Random selection", "Self-selection", "Malicious selection"):
            rating, symbol, meaning = RATINGS[int(rng.integers(0, 6))]
            gone = rating == "not_measurable"
            rows.append(
                {
                    "mitigation": method,
                    "column": column,
                    "rating": rating,
                    "symbol": symbol,
                    "meaning": meaning,
                    "share_better": np.nan if gone else 0.6,
                    "share_worse": np.nan if gone else 0.25,
                    "excess": np.nan if gone else 0.034,
                    "gain_accuracy": np.nan if gone else -0.012,
                    "note": "All folds failed: no positive label in the validation fold." if gone else "",
                }
            )
    return pd.DataFrame(rows)


def published(log: bool) -> pd.DataFrame:
    """Published and recomputed values of table cells."""
    rng = np.random.default_rng(8)
    rows = []
    for day in ("Day 1", "Day 2", "Day 3"):
        for name in ("prediction", "education", "job location", "relevant experience", "experience", "age"):
            middle = (
                float(10 ** -rng.uniform(0.3, 6))
                if log
                else (0.5 if day == "Day 2" and name == "education" else float(rng.uniform(0.005, 0.12)))
            )
            low, high = (middle / 4, min(1, middle * 3)) if log else (middle * 0.8, middle * 1.25)
            value = 0.0 if log and name == "age" and day == "Day 3" else middle * float(rng.uniform(0.85, 1.6))
            inside = low <= value <= high
            status = (
                "cannot"
                if name == "age" and day == "Day 2"
                else "inside"
                if inside
                else "near"
                if low / 2 < value < 1.2 * high
                else "outside"
            )
            rows.append(
                {
                    "section": day,
                    "cell": name,
                    "published": value,
                    "median": middle,
                    "low": low,
                    "high": high,
                    "status": status,
                    "note": "",
                }
            )
    return pd.DataFrame(rows)


def figures(theme: charts.Theme) -> dict[str, go.Figure]:
    """All figures by name."""
    rng = np.random.default_rng(4)
    ks, rom, ad = COMPARISONS["ks"], COMPARISONS["rom"], COMPARISONS["ad"]
    sides = charts.pair_text(FRAMES[1], 20_000, "hiring_reference", 10_000)
    one = bins("ks").query("attribute == 'education'")
    a, b = rng.gamma(2, 18_000, 20_000), rng.gamma(2.3, 17_000, 10_000)
    a[:60] = np.nan
    base = baseline_rows()
    spd, di = base[base["metric"] == "statistical_parity_difference"], base[base["metric"] == "disparate_impact"]
    before = attributes("rom").assign(score=lambda d: d["score"].where(d["frame"] != FRAMES[1], 0.03))
    before["verdict"] = before["verdict"].where(
        before["frame"] != FRAMES[1], before["verdict"].replace("disparity", "no_evidence")
    )
    many = tuple(f"attribute number {i}" for i in range(45))
    weeks = tuple(f"week {i:02d} of the year" for i in range(1, 27))
    levels = ["Bachelors", "HS-grad", "Some-college", "Masters", "<b>Prof-school</b> & $x$", "Doctorate"]
    return {
        "verdict_ks": charts.verdict_heatmap(attributes("ks"), ks, theme, selected=(FRAMES[1], "", "education")),
        "verdict_rom": charts.verdict_heatmap(attributes("rom"), rom, theme),
        "verdict_ad": charts.verdict_heatmap(attributes("ad"), ad, theme),
        "verdict_adjusted": charts.verdict_heatmap(attributes("rom"), rom, theme, show="p_adjusted", resamples=999),
        "verdict_groups": charts.verdict_heatmap(
            attributes("ks", ("sex = Male", "sex = Male · race = Amer-Indian-Eskimo", "sex = Female")), ks, theme
        ),
        "verdict_one": charts.verdict_heatmap(attributes("rom", frames=FRAMES[1:2], names=ATTRIBUTES[:3]), rom, theme),
        "verdict_many": charts.verdict_heatmap(attributes("ks", frames=weeks, names=many), ks, theme),
        "verdict_certain": charts.verdict_heatmap(certain(attributes("ks")), ks, theme),
        "detectable": charts.detectable_chart(
            certain(attributes("ks").query("frame == @FRAMES[1]")),
            theme,
            title=f"What would have been found on {NASTY}",
            sides=sides,
        ),
        "detectable_one": charts.detectable_chart(
            certain(attributes("ks", frames=FRAMES[:1], names=("gender",))), theme, title="What would have been found"
        ),
        "false_alarms": charts.false_alarm_chart(false_alarms(), theme),
        "power": charts.power_chart(power_of_verdicts(), theme),
        "bins_ks": charts.bin_heatmap(bins("ks"), ks, theme, sides=sides, selected=("education", 5)),
        "bins_rom": charts.bin_heatmap(bins("rom"), rom, theme, sides=sides),
        "bins_20": charts.bin_heatmap(bins("ad", 20), ad, theme, sides=sides),
        "bins_unit": charts.bin_heatmap(
            bins("rom").assign(score=lambda d: d["score"] * 5000), COMPARISONS["wasserstein"], theme, sides=sides
        ),
        "bin_chart_ks": charts.bin_chart(
            one,
            ks,
            theme,
            aggregate=3e-9,
            aggregation="harmonic mean",
            target=FRAMES[1],
            reference="hiring_reference",
            mean_label="Share of POST-GRAD",
        ),
        "bin_chart_rom": charts.bin_chart(
            bins("rom").query("attribute == 'education'"),
            rom,
            theme,
            aggregate=0.41,
            aggregation="mean",
            target=FRAMES[1],
            reference="hiring_reference",
        ),
        "bin_chart_ad": charts.bin_chart(
            bins("ad", 30).query("attribute == 'job location'"), ad, theme, aggregate=0.0012, target=NASTY, reference="reference"
        ),
        "bin_chart_nominal": charts.bin_chart(
            bins("chi2").query("attribute == 'gender'").assign(mean_target=np.nan, mean_reference=np.nan),
            COMPARISONS["chi2"],
            theme,
        ),
        "ecdf": charts.ecdf_chart(
            a, b, theme, attribute="predicted salary", target=FRAMES[1], reference="hiring_reference", bin_note="bin 3 of 10"
        ),
        "ecdf_few": charts.ecdf_chart(
            rng.binomial(5, 0.5, 300).astype(float),
            rng.binomial(5, 0.4, 200).astype(float),
            theme,
            attribute=NASTY,
            target=NASTY,
            reference="ref",
        ),
        "histogram": charts.histogram_chart(
            a, b, theme, attribute="predicted salary", target=FRAMES[1], reference="hiring_reference"
        ),
        "histogram_integers": charts.histogram_chart(
            rng.poisson(4, 900).astype(float), rng.poisson(5, 700).astype(float), theme, attribute="number of dependants"
        ),
        "category": charts.category_chart(
            levels,
            [5300, 10400, 7200, 1700, 520, 400],
            [3100, 4100, 3500, 880, 300, 210],
            theme,
            attribute="education",
            target=FRAMES[1],
            reference="hiring_reference",
        ),
        "category_many": charts.category_chart(
            [f"country {i}" for i in range(43)], list(range(43)), list(range(43, 0, -1)), theme, attribute="country"
        ),
        "interval": charts.interval_chart(
            spd,
            theme,
            metric="Statistical parity difference",
            band=(-0.1, 0.1),
            band_label="within ±0.10",
            direction="Negative: the target is selected less often",
            sides=sides,
        ),
        "interval_ratio": charts.interval_chart(
            di,
            theme,
            metric="Disparate impact",
            no_difference=1.0,
            band=(0.8, 1.25),
            band_label="four-fifths rule",
            ratio=True,
            sides=sides,
        ),
        "interval_undefined": charts.interval_chart(
            base[base["metric"] == "equal_opportunity_difference"],
            theme,
            metric="Equal opportunity difference",
            band=(-0.1, 0.1),
            sides=sides,
        ),
        "metric_matrix": charts.metric_matrix(base, theme, labels=METRICS, sides=sides),
        "metric_matrix_truth": charts.metric_matrix(base, theme, labels=METRICS, truth={(FRAMES[1], ""): True}, sides=sides),
        "group_rates": charts.group_rates_chart(group_rates(), theme, reference_group="Male · White"),
        "impact_ratio": charts.impact_ratio_chart(impact_ratios(), theme, reference_group="Male · White"),
        "before_after": charts.before_after_distributions(
            b, np.concatenate([b[:5000], b[5000:] * 1.3]), theme, attribute="predicted salary"
        ),
        "before_after_category": charts.before_after_distributions(
            np.array(["GRAD"] * 800 + ["POST-GRAD"] * 200, dtype=object),
            np.array(["GRAD"] * 900 + ["POST-GRAD"] * 100, dtype=object),
            theme,
            attribute="education",
        ),
        "difference": charts.difference_heatmap(before, attributes("rom"), rom, theme),
        "detectability": charts.detectability_chart(detector_rates(4), theme, labels=METRICS, repeats=20),
        "detectability_many": charts.detectability_chart(detector_rates(7), theme, labels=METRICS, repeats=20),
        "scatter": charts.fair_vs_biased_scatter(scatter_summary(), theme, labels=METHODS),
        "levels": charts.level_curves(
            evaluation_summary(), theme, metric="Statistical parity difference", labels=METHODS, ideal=0.0
        ),
        "levels_one": charts.level_curves(
            evaluation_summary(1), theme, metric="Statistical parity difference", labels=METHODS, ideal=0.0
        ),
        "methods": charts.method_heatmap(
            ratings(),
            theme,
            labels=METHODS,
            rule="Loss is the distance of the mean over folds from the best value; level 0 and the highest levels do not count.",
        ),
        "published": charts.published_vs_recomputed(
            published(False),
            theme,
            value_label="Ratio of means",
            title="QMAD, Table 5, ROM",
            subtitle="20 seeds, 10 sequential bins.",
        ),
        "published_log": charts.published_vs_recomputed(
            published(True), theme, value_label="p-value (KS, harmonic mean)", title="QMAD, Table 5, KS", log=True
        ),
    }


def page(theme: charts.Theme, chosen: dict[str, go.Figure]) -> str:
    """All figures on one HTML page with plotly's own script."""
    parts = [
        f'<section id="{name}">{figure.to_html(full_html=False, include_plotlyjs=i == 0, config={"displayModeBar": False, "responsive": True})}</section>'
        for i, (name, figure) in enumerate(chosen.items())
    ]
    return f'<!doctype html><meta charset="utf-8"><body style="margin:0;background:{theme.page}">{"".join(parts)}'


def main(folder: Path, names: list[str]) -> None:
    """Write pages and pictures."""
    from playwright.sync_api import sync_playwright

    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path="/usr/bin/chromium",
            args=[
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
            ],
        )
        for theme in charts.THEMES.values():
            chosen = {n: f for n, f in figures(theme).items() if not names or n in names}
            path = folder / f"{theme.name}.html"
            path.write_text(page(theme, chosen), encoding="utf-8")
            for width in (700, 1100):
                view = browser.new_page(viewport={"width": width, "height": 900})
                view.goto(path.as_uri())
                view.wait_for_timeout(1500)
                for name in chosen:
                    view.locator(f"#{name}").screenshot(path=str(folder / f"{name}_{theme.name}_{width}.png"))
                view.close()
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
