from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from countersign._seconds import process_memory

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _fresh_memory() -> Iterator[None]:
    process_memory.clear()
    yield
    process_memory.clear()
