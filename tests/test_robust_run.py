"""A server survives an upload that is cut off and a cancelled calibration; what was loaded stays."""

import socket
from urllib.parse import urlsplit

import pytest

from benchmarks.load import dashboard
from benchmarks.visitor import Visitor


@pytest.fixture
def loaded(tmp_path, sample_data):
    """A visitor with two tables on a server of its own, whose log is read at the end."""
    with dashboard(tmp_path) as server:
        with Visitor(server.url) as visitor:
            visitor.run()
            visitor.run("data")
            visitor.upload("Reference table", {"before.csv": (sample_data / "hiring_reference.csv").read_bytes()})
            visitor.upload("Target tables", {"after.csv": (sample_data / "hiring_day1.csv").read_bytes()})
            visitor.run("data")
            assert b"are ready" in visitor.seen and not visitor.errors
            yield visitor
        assert "Uncaught app" not in server.log.read_text(errors="replace")


def test_an_upload_that_is_cut_off_and_a_cancelled_calibration_change_nothing(loaded):
    (urls,) = loaded.upload_urls(["cut.csv"])
    parts = urlsplit(loaded.url)
    head = (
        f"PUT {urls.upload_url} HTTP/1.1\r\nHost: {parts.netloc}\r\nX-Xsrftoken: {loaded.xsrf}\r\nCookie: _streamlit_xsrf={loaded.xsrf}\r\n"
        "Content-Type: multipart/form-data; boundary=line\r\nContent-Length: 1000000\r\n\r\n"
        '--line\r\nContent-Disposition: form-data; name="file"; filename="cut.csv"\r\n\r\nage,sex\n1,f\n'
    )
    with socket.create_connection((parts.hostname, parts.port), timeout=30) as connection:
        connection.sendall(head.encode())
    loaded.run("data")
    assert b"are ready" in loaded.seen and b"before" in loaded.seen and b"cut" not in loaded.seen and not loaded.errors

    query = "resamples=4999&pair=ad-harmonic"
    loaded.run("audit", query)
    assert b"Calibrating: until" in loaded.seen and b"Calibrating the verdicts" in loaded.seen
    loaded.run("audit", query, press="Cancel")
    for _ in range(2):
        loaded.run("audit", query)
    assert b"Calibrating: until" not in loaded.seen and b"uncalibrated rule" in loaded.seen
    assert b"after" in loaded.seen and not loaded.errors
    loaded.run("audit", "resamples=0")
    assert b"after" in loaded.seen and not loaded.errors
