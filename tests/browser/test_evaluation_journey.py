"""Fair vs biased in a real browser: the demo, a small grid, a sentence and a chart; then a run that is stopped and continued."""

from __future__ import annotations

import re

import pytest

pytestmark = pytest.mark.browser

LONG = 240_000
"""Milliseconds for work on a busy machine."""


def press(page, name: str) -> None:
    """Press an entry of a segmented control or a row of pills."""
    page.get_by_test_id("stMain").get_by_role("radio", name=name, exact=True).or_(
        page.get_by_test_id("stMain").get_by_role("checkbox", name=name, exact=True)
    ).or_(page.get_by_test_id("stMain").get_by_role("button", name=name, exact=True)).first.click()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_run_read_stop_continue(browser_page, scheme):
    visit = browser_page("/", color_scheme=scheme)
    page = visit.page
    page.get_by_role("link", name="Fair vs biased").click()
    page.get_by_role("button", name="Run the experiment").wait_for()
    visit.wait_idle()
    for name in ("My own", "Random forest", "Decision tree", "0.3", "0.9"):
        press(page, name)
        visit.wait_idle()
    page.get_by_text(re.compile(r"2 levels × 3 folds × 1 models = 6 units")).wait_for()
    page.get_by_role("button", name="Run the experiment").click()
    page.get_by_role("heading", name="What it means").wait_for(timeout=LONG)
    page.get_by_text(re.compile(r"Decision tree without mitigation, level 0\.6: accuracy is")).wait_for()
    page.wait_for_function("() => document.querySelector('.js-plotly-plot')?.textContent.includes('biased test set')")
    visit.wait_idle()
    visit.screenshot(f"evaluation-{scheme}")
    if scheme == "dark":
        return

    for name in ("0.1", "0.2", "0.3", "0.4", "0.5", "0.7", "0.8", "0.9", "1"):
        press(page, name)
    visit.wait_idle()
    page.get_by_label("Folds", exact=True).fill("10")
    page.get_by_label("Folds", exact=True).press("Enter")
    page.get_by_text(re.compile(r"11 levels × 10 folds × 1 models = 110 units")).wait_for()
    visit.wait_idle()
    page.get_by_role("button", name="Run the experiment").click()
    page.get_by_test_id("stMain").get_by_text(re.compile(r"[1-9]\d* of 110 units")).wait_for(timeout=LONG)
    page.get_by_role("button", name="Stop here").click()
    page.get_by_text(re.compile(r"Partial result: \d+ of 110 units are finished")).wait_for(timeout=LONG)
    visit.wait_idle()
    page.get_by_role("button", name="Continue").click()
    page.get_by_text("Computed in").wait_for(timeout=LONG)
    visit.wait_idle()
    assert page.get_by_text("Partial result").count() == 0
    press(page, "Methods")
    page.wait_for_function("() => document.querySelector('.js-plotly-plot')?.textContent.includes('fair baseline')")
    visit.wait_idle()
    assert "evaluation_section=Methods" in page.url
    with page.expect_download() as download:
        page.get_by_role("button", name="This figure as HTML").click()
    assert download.value.suggested_filename == "fair_vs_biased_methods.html"
    assert "plotly" in download.value.path().read_text(encoding="utf-8")[:20_000]
