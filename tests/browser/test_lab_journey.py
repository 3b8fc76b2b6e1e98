"""The Bias lab in a real browser: two biases, a slider, the curve, and the biased table in the audit."""

from __future__ import annotations

import json
import time

import pytest

pytestmark = pytest.mark.browser


def main_text(page) -> str:
    return page.get_by_test_id("stMain").inner_text()


def choose(page, label: str, option: str) -> None:
    """Choose an option of a select box as a person does."""
    box = page.get_by_role("combobox", name=label)
    box.click()
    # Long lists draw only the options in sight, so the name is typed.
    box.press_sequentially(option.split(": ")[-1])
    page.get_by_role("option", name=option).click()


def add_bias(visit, label: str, option: str) -> None:
    """Put one more bias on the stack."""
    choose(visit.page, label, option)
    visit.wait_idle()
    visit.page.get_by_role("button", name="Add this bias").click()
    visit.wait_idle()


def saved(page, button: str, name: str) -> str:
    """What a download button saves, under the name it should have."""
    with page.expect_download() as download:
        page.get_by_role("button", name=button).click()
    assert download.value.suggested_filename == name
    return download.value.path().read_text(encoding="utf-8")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_two_biases_a_slider_the_curve_and_a_new_target(browser_page, scheme, capsys):
    visit = browser_page("/", color_scheme=scheme, height=1000)
    page = visit.page
    page.get_by_role("button", name="Open").first.click()
    page.get_by_text("day2").first.wait_for()
    visit.wait_idle()
    page.get_by_role("link", name="Bias lab").click()
    page.get_by_text("Nothing is planted yet").wait_for()
    visit.wait_idle()

    add_bias(visit, "Choose a bias", "Feature: Move to a distribution")
    page.get_by_text("Verdicts before and after").wait_for()
    # When verdicts arrive the page runs again, which closes an open menu.
    page.get_by_role("button", name="Cancel").first.wait_for(state="hidden", timeout=90_000)
    visit.wait_idle()
    add_bias(visit, "Another bias on top", "Selection: Random selection")
    page.get_by_text("rows taken out").first.wait_for()
    visit.wait_idle()
    assert "2. Random selection" in main_text(page)

    before = main_text(page)
    slider = page.locator(".st-key-lab-step-1").get_by_role("slider", name="Strength")
    slider.focus()
    started = time.perf_counter()
    slider.press("ArrowRight")
    page.wait_for_function(
        "(old) => !document.querySelector('.st-key-lab-step-1').innerText.includes(old)", arg="50 % of the way"
    )
    page.get_by_text("55 % of the way").first.wait_for()
    redraw = time.perf_counter() - started
    visit.wait_idle()
    assert main_text(page) != before

    page.get_by_text("Detectors, repeats and rows").click()
    repeats = page.get_by_role("spinbutton", name="Repeats")
    repeats.fill("3")
    repeats.press("Enter")
    visit.wait_idle()
    strengths = page.get_by_role("slider", name="Strengths")
    strengths.focus()
    strengths.press("ArrowLeft")
    visit.wait_idle()
    page.get_by_role("button", name="Measure detectability").click()
    page.get_by_text("of 15 plantings").first.wait_for()
    page.get_by_role("button", name="Download the curves as CSV").wait_for(timeout=120_000)
    visit.wait_idle()
    assert "Each point: 3 repeats" in page.evaluate(
        "() => [...document.querySelectorAll('.js-plotly-plot')].map(p => p.textContent).join()"
    )
    visit.screenshot(f"lab-{scheme}")

    biased = saved(page, "Biased table as CSV", "day1_biased.csv")
    assert "relevant_experience" in biased.splitlines()[0] and len(biased.splitlines()) > 200
    assert json.loads(saved(page, "Description as JSON", "day1_bias.json"))["table"] == "day1"
    assert len(saved(page, "Download the curves as CSV", "detectability.csv").splitlines()) > 5
    page.get_by_role("button", name="Save as target").click()
    page.get_by_text("is a target of the audit now").wait_for()
    visit.wait_idle()
    page.get_by_role("link", name="See it on the Audit page").click()
    page.get_by_role("heading", name="Audit").wait_for()
    visit.wait_idle()
    assert "day1 biased" in main_text(page)
    page.get_by_role("link", name="Bias lab").click()
    page.get_by_text("55 % of the way").first.wait_for()
    with capsys.disabled():
        print(f"\n[{scheme}] sentence after a step of the slider: {redraw:.2f} s")
