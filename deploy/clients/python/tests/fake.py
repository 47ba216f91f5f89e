"""A server that answers as its script says, one step for each request, and keeps what it was sent."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Callable, NamedTuple

Step = Callable[[BaseHTTPRequestHandler], None]


class Received(NamedTuple):
    method: str
    url: str
    headers: dict[str, str]
    body: bytes


class Fake:
    def __init__(self, *steps: Step) -> None:
        self.received: list[Received] = []
        self._over = threading.Event()
        received, over, lock = self.received, self._over, threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            over = self._over

            def respond(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                with lock:
                    received.append(Received(self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, body))
                    step = steps[min(len(received), len(steps)) - 1]
                step(self)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = respond

            def log_message(self, format: str, *arguments: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Fake:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self._over.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def answer(status: int, body: object, **headers: str) -> Step:
    def step(handler: BaseHTTPRequestHandler) -> None:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        handler.send_response(status)
        given = {"Content-Type": "application/json", "X-Request-Id": "r-1", "Content-Length": str(len(content)),
                 **{name.replace("_", "-"): value for name, value in headers.items()}}
        for name, value in given.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(content)
    return step


def problem(status: int, code: str, more: dict[str, Any] | None = None, **headers: str) -> Step:
    return answer(status, {"error": f"It is {code}.", "code": code, "request_id": "r-1", **(more or {})}, **headers)


def cut(handler: BaseHTTPRequestHandler) -> None:
    """The connection ends without an answer."""
    handler.close_connection = True


def silent(handler: BaseHTTPRequestHandler) -> None:
    """No answer comes while the server runs."""
    handler.over.wait()  # type: ignore[attr-defined]
    handler.close_connection = True


def parts(content: bytes, size: int, whole: bool = True, then: Step | None = None) -> Step:
    """A stream in pieces that end anywhere, also inside a letter; one that is not whole breaks off behind them."""
    def step(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "application/x-ndjson")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        for at in range(0, len(content), size):
            piece = content[at:at + size]
            handler.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        if then:
            then(handler)
        elif whole:
            handler.wfile.write(b"0\r\n\r\n")
        handler.close_connection = not whole
    return step
