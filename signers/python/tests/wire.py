"""A local HTTP/1.1 server that shows what was sent, byte for byte."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Callable

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass
class Sent:
    """One request as it came over the wire."""

    method: str
    target: str
    headers: list[tuple[str, str]]
    body: bytes
    port: int

    def header(self, name: str) -> str | None:
        values = [value for key, value in self.headers if key.lower() == name.lower()]
        assert len(values) <= 1, f"{name} was sent {len(values)} times"
        return values[0] if values else None

    @property
    def url(self) -> str:
        """The URL as a service sees it: the origin that ``Host`` names, and the raw target."""
        if self.target.startswith("http://"):
            return self.target
        return f"http://{(self.header('Host') or '').lower()}{self.target}"


@dataclass
class Answer:
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b"ok"


def problem(status: int, code: str, **members: object) -> Answer:
    document = {"type": f"https://a.test/docs/errors#{code}", "title": "T", "status": status}
    body = json.dumps({**document, "code": code, **members}).encode()
    headers = {"Content-Type": "application/problem+json"}
    if status == 401:
        headers["WWW-Authenticate"] = f'Signature error="{code}"'
    return Answer(status, headers, body)


class Server:
    """Answers each connection in a thread; ``answer`` decides, and may return None to hang up."""

    def __init__(self, answer: Callable[[Sent], Answer | None] | None = None) -> None:
        self.answer = answer or (lambda _: Answer())
        self.sent: list[Sent] = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self.origin = f"http://127.0.0.1:{self.port}"
        self._connections: set[socket.socket] = set()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        # shutdown wakes up the thread in accept.
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for connection in list(self._connections):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self._connections.add(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as stream, contextlib.suppress(OSError):
            while True:
                line = stream.readline().decode("latin-1").rstrip("\r\n")
                if not line:
                    break
                method, target, _ = line.split(" ")
                headers = []
                while field_line := stream.readline().decode("latin-1").rstrip("\r\n"):
                    name, _, value = field_line.partition(":")
                    headers.append((name, value.strip()))
                lower = {name.lower(): value for name, value in headers}
                if lower.get("transfer-encoding") == "chunked":
                    body = b""
                    while size := int(stream.readline(), 16):
                        body += stream.read(size)
                        stream.readline()
                    stream.readline()
                else:
                    body = stream.read(int(lower.get("content-length", "0")))
                sent = Sent(method, target, headers, body, self.port)
                self.sent.append(sent)
                answer = self.answer(sent)
                if answer is None:
                    break
                content = b"" if method == "HEAD" else answer.body
                head = [f"HTTP/1.1 {answer.status} Status", f"Content-Length: {len(content)}"]
                head += [f"{name}: {value}" for name, value in answer.headers.items()]
                connection.sendall("\r\n".join([*head, "", ""]).encode("latin-1") + content)
        self._connections.discard(connection)


@contextlib.contextmanager
def serving(answer: Callable[[Sent], Answer | None] | None = None) -> Iterator[Server]:
    server = Server(answer)
    try:
        yield server
    finally:
        server.close()
