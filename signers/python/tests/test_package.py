"""The documents, the example and the list of codes."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import countersign
from countersign import errors
from countersign._service_codes import SERVICE_CODES
from tests import vectors

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


def test_what_programs_use_is_in_the_package() -> None:
    assert set(countersign.__all__) <= set(dir(countersign))
    assert countersign.read_refusal is errors.read_refusal
    assert countersign.RefusalError is countersign.RefusedError
    for error in (countersign.RefusedError, countersign.RepeatNotSignedError):
        assert issubclass(error, countersign.CountersignError)


def test_the_readme_shows_the_example() -> None:
    assert textwrap.indent(EXAMPLE.read_text("utf-8"), "   ", lambda line: line != "\n") in README


def test_the_readme_tests_a_program() -> None:
    section = README.split("\n## Test your own code\n")[1].split("\n## ")[0]
    (block,) = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    scope: dict[str, object] = {}
    exec(block, scope)
    test = scope["test_my_client"]
    assert callable(test)
    test(vectors.PRIVATE_KEY, vectors.PUBLIC_KEY)
