"""The figures in a real browser: what is readable, what a click reports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fairaudit import charts
from fairaudit.charts.text import cut
from fairaudit.comparison import COMPARISONS
from tests.charts import gallery

pytestmark = pytest.mark.browser

OUTSIDE = """width => {
  const bad = [];
  for (const text of document.querySelectorAll('svg text')) {
    const box = text.getBoundingClientRect();
    if (!box.width || text.closest('.hoverlayer') || getComputedStyle(text).opacity === '0') continue;
    if (box.left < -1 || box.right > width + 1) bad.push([text.closest('section').id, text.textContent]);
  }
  return bad;
}"""
OVERLAPS = """() => {
  const bad = [];
  for (const section of document.querySelectorAll('section')) {
    const boxes = s => [...section.querySelectorAll(s)].map(e => [e.textContent, e.getBoundingClientRect()]).filter(b => b[1].width);
    for (const axis of ['.yaxislayer-above .ytick text', '.xaxislayer-above .xtick text']) {
      const labels = boxes(axis).sort((a, b) => a[1].top - b[1].top);
      for (let i = 1; axis.startsWith('.y') && i < labels.length; i++)
        if (Math.abs(labels[i][1].right - labels[i-1][1].right) < 1 && labels[i][1].top < labels[i-1][1].bottom - 4)
          bad.push([section.id, labels[i-1][0], labels[i][0]]);
    }
    const title = boxes('.gtitle')[0], legend = boxes('.legend')[0];
    const top = Math.min(...boxes('.cartesianlayer .plot').map(b => b[1].top), ...boxes('.annotation').map(b => b[1].top));
    if (title && legend && legend[1].top < title[1].bottom - 4) bad.push([section.id, 'title over legend']);
    if (legend && legend[1].bottom > top + 8) bad.push([section.id, 'legend over plot', legend[1].bottom, top]);
    if (title[1].top < section.getBoundingClientRect().top) bad.push([section.id, 'title cut off']);
  }
  return bad;
}"""


@pytest.fixture
def rendered(chromium: Any, tmp_path: Path) -> Any:
    """Factory: a page with figures, and what its console said."""

    def show(theme: charts.Theme, chosen: dict[str, Any], width: int) -> Any:
        path = tmp_path / f"{theme.name}.html"
        path.write_text(gallery.page(theme, chosen), encoding="utf-8")
        page = chromium.new_page(viewport={"width": width, "height": 900})
        page.complaints = []
        page.on("console", lambda m: page.complaints.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda e: page.complaints.append(str(e)))
        page.goto(path.as_uri())
        page.wait_for_function("document.querySelectorAll('.main-svg').length >= document.querySelectorAll('section').length")
        return page

    return show


@pytest.mark.parametrize(("theme", "width"), [(charts.LIGHT, 700), (charts.DARK, 700), (charts.LIGHT, 1300)])
def test_nothing_is_cut_off_or_overlaps(rendered: Any, theme: charts.Theme, width: int) -> None:
    page = rendered(theme, gallery.figures(theme), width)
    assert page.evaluate(OUTSIDE, width) == []
    assert page.evaluate(OVERLAPS) == []
    # The data cannot add anything that acts.
    assert page.evaluate("document.querySelectorAll('svg a').length") == 0
    assert not [c for c in page.complaints if "WebGL" not in c], page.complaints


def test_names_are_shown_letter_by_letter_on_axes_and_on_hover(rendered: Any) -> None:
    name = gallery.NASTY
    table = gallery.attributes("ks", frames=("day 1",), names=(name, "age"))
    page = rendered(charts.LIGHT, {"one": charts.verdict_heatmap(table, COMPARISONS["ks"], charts.LIGHT)}, 900)
    assert page.locator(".ytick text").first.text_content() == cut(name, 28)
    drag = page.locator(".nsewdrag").first.bounding_box()
    page.mouse.move(drag["x"] + drag["width"] / 2, drag["y"] + drag["height"] / 4)
    page.wait_for_selector(".hoverlayer .hovertext")
    assert name in page.locator(".hoverlayer .hovertext").text_content()


def test_a_click_anywhere_in_a_cell_reports_its_key(rendered: Any) -> None:
    figure = charts.verdict_heatmap(gallery.attributes("ks"), COMPARISONS["ks"], charts.LIGHT)
    page = rendered(charts.LIGHT, {"one": figure}, 1100)
    page.evaluate(
        """() => { window.keys = []; document.querySelector('.js-plotly-plot').on('plotly_click',
            e => window.keys.push(...e.points.map(p => p.customdata))); }"""
    )
    drag = page.locator(".nsewdrag").first.bounding_box()
    width, height = drag["width"] / 4, drag["height"] / len(gallery.ATTRIBUTES)
    for column, row, dx, dy in ((1, 4, 0.5, 0.5), (1, 4, 0.06, 0.1), (3, 8, 0.95, 0.9), (2, 9, 0.1, 0.9)):
        page.evaluate("window.keys.length = 0")
        page.mouse.move(drag["x"] + (column + dx) * width, drag["y"] + (row + dy) * height)
        page.wait_for_timeout(150)  # hovering is throttled, and a click reports what is hovered
        page.mouse.down()
        page.mouse.up()
        page.wait_for_function("window.keys.length > 0")
        assert page.evaluate("window.keys") == [[gallery.FRAMES[column], "", gallery.ATTRIBUTES[row]]]
