"""A visitor without a browser: speaks Streamlit's protocol over one web socket."""

from __future__ import annotations

import time
import urllib.request
import uuid
from collections.abc import Iterable
from contextlib import ExitStack
from http.cookies import SimpleCookie
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Common_pb2 import FileURLsRequest, UploadedFileInfo
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets import Subprotocol
from websockets.sync.client import ClientConnection, connect

_XSRF = "_streamlit_xsrf"
_ENDS = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_WITH_COMPILE_ERROR)


class Visitor:
    """One session of a dashboard on this machine.

    Attributes
    ----------
    seen : bytes
        All that the server sent during the last run of a page.
    xsrf : str
        The token that uploads must bear.
    errors : list of str
        Error boxes and exceptions of the last run.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        with urllib.request.urlopen(f"{url}/_stcore/health", timeout=30) as answer:
            morsel = SimpleCookie(answer.headers.get("Set-Cookie", "")).get(_XSRF)
        self.xsrf = morsel.value if morsel else ""
        self._open = ExitStack()
        self._session = ""
        self._pages: dict[str, str] = {}
        self._widgets: dict[str, WidgetState] = {}
        self._uploaders: dict[str, str] = {}
        self._buttons: dict[str, str] = {}
        self._urls: dict[str, list[Any]] = {}
        self.seen = b""
        self.errors: list[str] = []

    def __enter__(self) -> Visitor:
        address = self.url.replace("http", "ws", 1) + "/_stcore/stream"
        connection = connect(address, subprotocols=[Subprotocol("streamlit")], max_size=None, open_timeout=60)
        self._socket: ClientConnection = self._open.enter_context(connection)
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def run(self, page: str = "", query: str = "", timeout: float = 300, press: str = "") -> float:
        """Run a page to its end, with a button pressed if one is named; ``page`` is its path without the slash. Seconds it took."""
        message = BackMsg()
        state = message.rerun_script
        state.query_string, state.page_script_hash = query, self._pages.get(page, "")
        if page and not state.page_script_hash:
            raise KeyError(f"{page!r} is no page of the dashboard: {sorted(self._pages)}")
        state.widget_states.widgets.extend(self._widgets.values())
        if press:
            state.widget_states.widgets.append(WidgetState(id=self._buttons[press], trigger_value=True))
        state.context_info.timezone, state.context_info.locale = "UTC", "en-GB"
        state.context_info.url = f"{self.url}/{page}"
        self.seen, self.errors = b"", []
        start = time.perf_counter()
        self._socket.send(message.SerializeToString())
        while True:
            received = self._receive(start + timeout)
            # A page that is rerun by itself ends early and starts again.
            if received.WhichOneof("type") == "script_finished" and received.script_finished in _ENDS:
                return time.perf_counter() - start

    def upload(self, label: str, files: dict[str, bytes]) -> None:
        """Put files into the upload control of this label, which the last run has shown; they are read by the next run."""
        widget = self._uploaders[label]
        state = WidgetState(id=widget)
        for (name, content), urls in zip(files.items(), self.upload_urls(files), strict=True):
            self._put(urls.upload_url, name, content)
            info = UploadedFileInfo(name=name, size=len(content), file_id=urls.file_id)
            info.file_urls.CopyFrom(urls)
            state.file_uploader_state_value.uploaded_file_info.append(info)
        self._widgets[widget] = state

    def upload_urls(self, names: Iterable[str]) -> list[Any]:
        """Where the server wants files of these names to be put."""
        request = BackMsg(
            file_urls_request=FileURLsRequest(request_id=uuid.uuid4().hex, file_names=list(names), session_id=self._session)
        )
        self._socket.send(request.SerializeToString())
        wanted = request.file_urls_request.request_id
        deadline = time.perf_counter() + 60
        while wanted not in self._urls:
            self._receive(deadline)
        return self._urls.pop(wanted)

    def _put(self, path: str, name: str, content: bytes) -> None:
        line = uuid.uuid4().hex
        head = f'--{line}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\nContent-Type: text/csv\r\n\r\n'
        request = urllib.request.Request(
            self.url + path,
            data=head.encode() + content + f"\r\n--{line}--\r\n".encode(),
            method="PUT",
            headers={
                "Content-Type": f"multipart/form-data; boundary={line}",
                "X-Xsrftoken": self.xsrf,
                "Cookie": f"{_XSRF}={self.xsrf}",
            },
        )
        with urllib.request.urlopen(request, timeout=120) as answer:
            answer.read()

    def _receive(self, deadline: float) -> ForwardMsg:
        """The next message of the server, noted."""
        raw = self._socket.recv(timeout=max(0.1, deadline - time.perf_counter()))
        assert isinstance(raw, bytes)
        message = ForwardMsg.FromString(raw)
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self._session = message.new_session.initialize.session_id or self._session
            # What an interrupted run has sent is replaced by the run that follows.
            self.seen, self.errors = b"", []
        elif kind == "navigation":
            self._pages = {page.url_pathname: page.page_script_hash for page in message.navigation.app_pages}
        elif kind == "file_urls_response":
            self._urls[message.file_urls_response.response_id] = list(message.file_urls_response.file_urls)
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            self._note(message.delta.new_element)
        self.seen += raw
        return message

    def _note(self, element: Any) -> None:
        kind = element.WhichOneof("type")
        if kind == "file_uploader":
            self._uploaders[element.file_uploader.label] = element.file_uploader.id
        elif kind == "button":
            self._buttons[element.button.label] = element.button.id
        elif kind == "exception":
            self.errors.append(f"{element.exception.type}: {element.exception.message}")
        elif kind == "alert" and element.alert.format == element.alert.ERROR:
            self.errors.append(element.alert.body)
