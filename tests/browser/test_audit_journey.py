"""The main job in a real browser: upload, choose, look, click, read; in light and dark."""

from __future__ import annotations

import json
import time

import pytest

import fairaudit

pytestmark = pytest.mark.browser

TEXT = "(chart) => document.querySelectorAll('.js-plotly-plot')[chart].textContent"


def choose(page, label: str, option: str) -> None:
    """Choose an option of a select box as a person does."""
    page.get_by_role("combobox", name=label).click()
    page.get_by_role("option", name=option).click()


def figure_text(page, number: int) -> str:
    return page.evaluate(TEXT, number)


def click_cell(page, chart: int, customdata: list) -> None:
    """Click the middle of the heatmap cell with this customdata."""
    spot = page.evaluate(
        """([chart, wanted]) => {
            const plot = document.querySelectorAll('.js-plotly-plot')[chart];
            plot.scrollIntoView({block: 'center'});
            for (const trace of plot._fullData) {
                for (let i = 0; i < (trace.customdata || []).length; i++) {
                    if (JSON.stringify(trace.customdata[i]) === wanted) {
                        const box = plot.getBoundingClientRect();
                        const x = plot._fullLayout.xaxis, y = plot._fullLayout.yaxis;
                        return [box.left + x._offset + x.d2p(trace.x[i]), box.top + y._offset + y.d2p(trace.y[i])];
                    }
                }
            }
            return null;
        }""",
        [chart, json.dumps(customdata, separators=(",", ":"), ensure_ascii=False)],
    )
    assert spot is not None, f"no cell {customdata}"
    page.mouse.move(*spot)
    page.wait_for_timeout(400)  # plotly reports the cell that is hovered, and looks for it a few times a second only
    page.mouse.down()
    page.mouse.up()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_upload_choose_click_read(browser_page, sample_data, scheme, capsys):
    visit = browser_page("/", color_scheme=scheme)
    page = visit.page
    page.get_by_role("link", name="Data").click()
    visit.wait_idle()
    uploads = page.locator('input[type="file"]')
    uploads.nth(0).set_input_files(sample_data / "hiring_reference.csv")
    visit.wait_idle()
    uploads.nth(1).set_input_files([sample_data / "hiring_day1.csv", sample_data / "hiring_day2_biased.csv"])
    page.get_by_text("are ready").first.wait_for()
    visit.wait_idle()
    page.get_by_role("link", name="Go to the audit").click()
    page.get_by_text("hiring_day2_biased").first.wait_for()
    visit.wait_idle()
    assert "education" in page.get_by_test_id("stMain").inner_text()

    started = time.perf_counter()
    choose(page, "Pair of comparison", "Ratio of means")
    page.wait_for_function("() => document.querySelector('.js-plotly-plot')?.textContent.includes('ratio')")
    redraw = time.perf_counter() - started
    visit.wait_idle()
    slider = page.get_by_role("slider", name="Bins")
    slider.focus()
    for _ in range(5):
        slider.press("ArrowLeft")
    visit.wait_idle()
    assert "bins=5" in page.url and "pair=" in page.url

    expected = fairaudit.audit(
        fairaudit.read_table(sample_data / "hiring_reference.csv").data,
        {n: fairaudit.read_table(sample_data / f"{n}.csv").data for n in ("hiring_day1", "hiring_day2_biased")},
        comparison="rom",
        aggregation="arithmetic",
        bins=5,
    )
    scores = expected.attributes().set_index(["frame", "attribute"])["score"]
    shown = figure_text(page, 0)
    for frame in ("hiring_day1", "hiring_day2_biased"):
        assert f"{scores[frame, 'education']:.2f}" in shown

    # The page is drawn anew when the verdicts are ready, and again when it is known what would have been found.
    page.get_by_text("Calibrated p").first.wait_for()
    visit.wait_idle()
    page.get_by_role("heading", name="What would have been found").wait_for(timeout=240_000)
    visit.wait_idle()
    click_cell(page, 0, ["hiring_day2_biased", "", "job_location"])
    page.get_by_role("heading", name="job_location").wait_for()
    visit.wait_idle()
    bins = expected.bins().query("frame == 'hiring_day2_biased' and attribute == 'job_location'")
    for score in bins["score"]:
        assert f"{score:.2f}" in figure_text(page, 1)
    click_cell(page, 1, ["education", 3])
    page.get_by_role("heading", name="education").wait_for()
    visit.wait_idle()
    assert "bin 3" in page.get_by_test_id("stMain").inner_text()
    background = page.evaluate("() => getComputedStyle(document.querySelector('[data-testid=\"stApp\"]')).backgroundColor")
    brightness = sum(int(part) for part in background.removeprefix("rgb(").removesuffix(")").split(",")[:3])
    assert (brightness > 600) == (scheme == "light")
    visit.screenshot(f"audit-{scheme}")
    with capsys.disabled():
        print(f"\n[{scheme}] redraw after another pair: {redraw:.2f} s")


def test_first_paint_and_two_visitors(browser_page, capsys):
    browser_page("/")  # warms the server
    started = time.perf_counter()
    first = browser_page("/")
    painted = time.perf_counter() - started
    first.page.get_by_role("button", name="Open").first.click()
    first.page.get_by_text("day2").first.wait_for()
    second = browser_page("/")
    second.page.get_by_role("link", name="Audit").click()
    second.page.get_by_text("No tables are loaded yet").wait_for()
    with capsys.disabled():
        print(f"\nfirst paint of a warm start, until idle: {painted:.2f} s")


def test_a_link_opens_the_same_choices(browser_page):
    visit = browser_page("/")
    visit.page.get_by_role("button", name="Open").first.click()
    visit.page.get_by_text("day2").first.wait_for()
    visit.wait_idle()
    choose(visit.page, "Pair of comparison", "Anderson")
    visit.wait_idle()
    assert "pair=" in visit.page.url
    visit.page.get_by_role("link", name="Method").click()
    visit.wait_idle()
    visit.page.get_by_role("link", name="Audit").click()
    visit.wait_idle()
    assert (
        visit.page.get_by_role("combobox", name="Pair of comparison").input_value().startswith("Anderson")
        or "Anderson" in visit.page.get_by_test_id("stMain").inner_text()
    )
