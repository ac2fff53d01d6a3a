"""What others may ask a manager: its metrics, whether it is well, and which view it works on. On this machine only."""

import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qsl

HOST = "127.0.0.1"
Query = Mapping[str, str]
Answer = tuple[int, str, str]  # status, content type, text
TEXT = "text/plain; version=0.0.4; charset=utf-8"


@contextmanager
def serving(port: int, answers: Mapping[str, Callable[[Query], Answer]], host: str = HOST) -> Iterator[int]:
    """Answer while it lasts; gives the port, which may be chosen by the system (0)."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path, _, query = self.path.partition("?")
            answer = answers.get(path)
            status, kind, text = answer(dict(parse_qsl(query))) if answer else (404, TEXT, "not found\n")
            body = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing: the manager tells what it does, not who asks."""

    server = ThreadingHTTPServer((host, port), Handler)
    threading.Thread(target=server.serve_forever, name="lazyview metrics", daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()


def as_json(document: object, status: int = 200) -> Answer:
    return status, "application/json", json.dumps(document) + "\n"


def write_file(path: Path, text: str) -> None:
    """Put a file in place at once: whoever collects it never reads half of it."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)
