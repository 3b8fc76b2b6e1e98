"""A file over the limit is refused before it is read; the page says the limit and the way out, and the next file works."""

import pytest

pytestmark = pytest.mark.browser
LIMIT = 200


def test_a_file_over_the_limit_is_told_and_the_next_one_is_taken(browser_page, sample_data, tmp_path):
    large = tmp_path / "large.csv"
    with large.open("wb") as stream:
        stream.write(b"age,sex\n")
        stream.truncate(LIMIT * 2**20 + 1)  # a hole: nothing is written, and nothing must be sent
    visit = browser_page()
    page = visit.page
    page.get_by_role("link", name="Data", exact=True).click()
    page.get_by_role("heading", name="Data", exact=True).wait_for()
    visit.wait_idle()
    box = page.get_by_test_id("stFileUploader").first
    box.locator("input[type=file]").set_input_files(large)
    chip = box.get_by_test_id("stFileChip")
    chip.wait_for()
    # What the control says itself: in red, in words on hover and for screen readers.
    assert chip.get_attribute("aria-invalid") == "true"
    assert f"File must be {LIMIT}.0MB or smaller" in box.inner_text()
    # What the page says beside it: the limit, what the red means, and the ways out.
    said = page.get_by_test_id("stCaptionContainer").filter(has_text="a file in red").inner_text()
    for part in (f"Up to {LIMIT} MB", "was not read", "Parquet", "command line", "--sample"):
        assert part in said, said
    visit.screenshot("file_over_the_limit")
    assert page.get_by_text("are ready").count() == 0
    page.get_by_role("button", name="Remove large.csv").click()
    inputs = page.locator("input[type=file]")
    inputs.nth(0).set_input_files(sample_data / "hiring_reference.csv")
    visit.wait_idle()
    inputs.nth(1).set_input_files(sample_data / "hiring_day1.csv")
    page.get_by_text("are ready").first.wait_for(timeout=90_000)
    visit.wait_idle()
