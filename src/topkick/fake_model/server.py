"""The scripted model as a server: `/s/<scenario>/<run>/...`, any number of agents at once."""

import re
import socket
import socketserver
import struct
import sys
import threading
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from topkick.fake_model.answers import Answering, FakeAnswer
from topkick.fake_model.requests import Leak, Requests, SeenRequest
from topkick.fake_model.scenarios import BUILTIN, Scenario

HOST = "127.0.0.1"
MAX_BODY_BYTES = 64 << 20
IDLE_S = 120.0
POLL_S = 0.02
_NAME = re.compile(r"[\w.-]+\Z")


class ModelServer:
    """Serves from entering (or `start`) to leaving (or `close`); port 0 takes a free one.

    It listens on loopback only. `canaries` are keys that no request may contain.
    """

    def __init__(
        self,
        scenarios: Mapping[str, Scenario] = BUILTIN,
        *,
        port: int = 0,
        keep: int = 400,
        canaries: tuple[str, ...] = (),
    ) -> None:
        self._closing = threading.Event()
        self._requests = Requests(keep, canaries)
        self._answering = Answering(scenarios, self._requests)
        self._http = _Http((HOST, port), self._answering, self._requests, self._closing)
        serve = self._http.serve_forever
        self._thread = threading.Thread(target=serve, args=(POLL_S,), daemon=True)

    @property
    def port(self) -> int:
        return self._http.server_port

    def base_url(self, scenario: str, run: str) -> str:
        """Return the URL for programs that add `/v1` themselves; the OpenAI protocols need it
        added.
        """
        for name in (scenario, run):
            if not _NAME.match(name):
                raise ValueError(f"{name!r}: only letters, digits, dot, dash and underscore")
        return f"http://{HOST}:{self.port}/s/{scenario}/{run}"

    def add(self, scenario: Scenario) -> None:
        self._answering.add(scenario)

    def requests(self, run: str | None = None) -> tuple[SeenRequest, ...]:
        """Return the last requests, oldest first."""
        return self._requests.kept(run)

    def leaks(self) -> tuple[Leak, ...]:
        return self._requests.leaks()

    def start(self) -> Self:
        self._thread.start()
        return self

    def close(self) -> None:
        self._closing.set()
        if self._thread.is_alive():
            self._http.shutdown()
            self._thread.join()
        self._http.server_close()

    def wait(self) -> None:
        self._closing.wait()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(
        self,
        address: tuple[str, int],
        answering: Answering,
        requests: Requests,
        closing: threading.Event,
    ) -> None:
        self.answering = answering
        self.requests = requests
        self.closing = closing
        super().__init__(address, _Conversation)

    def server_bind(self) -> None:
        """Bind without the name lookup of the base class."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = HOST, int(self.server_address[1])

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore a client that disconnects in the middle of an answer."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Conversation(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "scripted"
    sys_version = ""
    timeout = IDLE_S
    disable_nagle_algorithm = True
    wbufsize = 1 << 16
    server: _Http

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        if length > MAX_BODY_BYTES:
            self.send_error(413)
            return
        self._answer(self.rfile.read(length) if length else self._chunks())

    def do_GET(self) -> None:
        self._answer(b"")

    def do_HEAD(self) -> None:
        self._answer(b"")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass

    def _chunks(self) -> bytes:
        if self.headers.get("transfer-encoding", "").lower() != "chunked":
            return b""
        body = bytearray()
        while (size := int(self.rfile.readline(100).split(b";")[0] or b"0", 16)) > 0:
            if len(body) + size > MAX_BODY_BYTES:
                raise ConnectionAbortedError("body too large")
            body += self.rfile.read(size)
            self.rfile.readline(10)
        self.rfile.readline(10)
        return bytes(body)

    def _answer(self, raw: bytes) -> None:
        headers = tuple(self.headers.items())
        answer = self.server.answering.to(self.command, self.path, headers, raw)
        closed = answer.delay_s > 0 and self.server.closing.wait(answer.delay_s)
        if closed or answer.hangs:
            self.close_connection = True
        elif answer.frames is None:
            self._send_whole(answer)
        else:
            self._send_stream(answer, answer.frames)

    def _head(self, answer: FakeAnswer, **more: str) -> None:
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, _dated(value))
        for name, value in more.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def _send_whole(self, answer: FakeAnswer) -> None:
        kind = "application/json"
        self._head(answer, content_type=kind, content_length=str(len(answer.body)))
        if self.command == "HEAD":
            return
        if answer.cut:
            self.wfile.write(answer.body[: len(answer.body) // 2])
            self._hang_up()
        else:
            self.wfile.write(answer.body)

    def _send_stream(self, answer: FakeAnswer, frames: tuple[bytes, ...]) -> None:
        self._head(answer, content_type="text/event-stream", transfer_encoding="chunked")
        for frame in frames[: len(frames) // 2] if answer.cut else frames:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(frame), frame))
        if answer.cut:
            self._hang_up()
        else:
            self.wfile.write(b"0\r\n\r\n")

    def _hang_up(self) -> None:
        """Close without lingering, so that the client sees a broken connection."""
        self.wfile.flush()
        linger = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.close_connection = True


def _dated(value: str) -> str:
    word, plus, seconds = value.partition("+")
    return str(int(time.time()) + int(seconds)) if word == "now" and plus else value
