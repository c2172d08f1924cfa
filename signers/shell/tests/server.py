"""A local HTTP server that gives prepared answers and keeps the bytes it receives."""

import dataclasses
import socket
import threading


@dataclasses.dataclass
class Request:
    method: str
    target: str
    headers: dict
    body: bytes


class Server:
    """Answers one request per connection; 200 after the prepared answers."""

    def __init__(self, answers=()):
        self.requests = []
        self._answers = list(answers)
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.origin = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        # A connection without a request ends the thread.
        with socket.create_connection(self._socket.getsockname()):
            pass
        self._thread.join()
        self._socket.close()

    def _serve(self):
        while True:
            connection, _ = self._socket.accept()
            with connection:
                request = self._read(connection)
                if request is None:
                    return
                self.requests.append(request)
                status, headers, body = self._answers.pop(0) if self._answers else (200, {}, b'{"ok":true}')
                headers = {"Content-Length": len(body), "Connection": "close", **headers}
                lines = [f"HTTP/1.1 {status} Answer", *(f"{name}: {value}" for name, value in headers.items())]
                head = "\r\n".join(lines).encode() + b"\r\n\r\n"
                connection.sendall(head if request.method == "HEAD" else head + body)

    @staticmethod
    def _read(connection):
        received = b""
        while b"\r\n\r\n" not in received:
            chunk = connection.recv(65536)
            if not chunk:
                return None
            received += chunk
        head, body = received.split(b"\r\n\r\n", 1)
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {}
        for line in lines:
            name, value = line.split(":", 1)
            headers.setdefault(name.lower(), []).append(value.strip())
        if "expect" in headers:
            connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        length = int(headers.get("content-length", ["0"])[0])
        while len(body) < length:
            body += connection.recv(65536)
        method, target, _ = first.split(" ")
        return Request(method, target, headers, body)
