"""The documents, the examples and the list of codes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

from countersign._service_codes import SERVICE_CODES
from tests import vectors
from tests.test_clients import accepted
from tests.wire import Answer, problem, serving

PACKAGE = Path(__file__).resolve().parents[1]
README = (PACKAGE / "README.md").read_text("utf-8")
EXAMPLE = PACKAGE / "examples" / "first_request.py"


def test_the_codes_are_those_of_the_documents() -> None:
    # The other sections are about the errors of operations, which are ordinary responses.
    refusing = {
        "Framing",
        "The signature headers",
        "The time",
        "The caller",
        "The body",
        "An API behind the gateway",
        "The service itself",
    }
    errors = (PACKAGE.parents[1] / "docs" / "errors.md").read_text("utf-8")
    sections = [section for section in errors.split("\n## ") if section.split("\n")[0] in refusing]
    assert len(sections) == len(refusing)
    documented = re.findall(r"^### `([a-z_]+)`$", "\n".join(sections), re.MULTILINE)
    assert set(documented) == SERVICE_CODES


def test_the_readme_shows_the_example() -> None:
    assert textwrap.indent(EXAMPLE.read_text("utf-8"), "   ", lambda line: line != "\n") in README


def test_the_example_sends_an_accepted_payment(tmp_path: Path) -> None:
    with serving(lambda _: Answer(201, {}, b"created")) as server:
        output = run_example(tmp_path, f"{server.origin}/v1/payments")
    assert output == (0, "201 created\n", "")
    assert accepted(server.sent) == ["accepted"]


def test_the_example_says_why_it_was_refused(tmp_path: Path) -> None:
    refusal = problem(403, "client_disabled", detail="Ask a manager.", requestId="request_1")
    with serving(lambda _: refusal) as server:
        output = run_example(tmp_path, f"{server.origin}/v1/payments")
    assert output == (1, "", "client_disabled: T. Ask a manager. (request_1)\n")


def run_example(folder: Path, url: str) -> tuple[int, str, str]:
    (folder / "private.pem").write_text(vectors.PRIVATE_KEY)
    done = subprocess.run(
        [sys.executable, str(EXAMPLE), url],
        cwd=folder,
        env={**os.environ, "CLIENT_ID": "shop", "PYTHONPATH": str(PACKAGE / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_the_readme_tests_a_program() -> None:
    (block,) = re.findall(r"```python\n(import httpx.*?)```", README, re.DOTALL)
    scope: dict[str, object] = {}
    exec(block, scope)
    test = scope["test_my_client"]
    assert callable(test)
    test(vectors.PRIVATE_KEY, vectors.PUBLIC_KEY)
