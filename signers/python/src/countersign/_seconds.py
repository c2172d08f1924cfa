"""The memory of which requests were signed in which second.

Two equal requests with the same ``created`` have the same text to sign. With RSA and Ed25519 they
have the same signature too; an ECDSA request is recognized by the text. The service rejects the
second one as a replay.
"""

from __future__ import annotations

import hashlib
import os
import re
import threading
import time
from pathlib import Path

from countersign.errors import SigningError

# The service accepts a signature for 300 seconds, and 60 more if the clock was ahead.
REMEMBER_SECONDS = 420
_FILE_NAME = re.compile(r"[0-9a-f]{32}\.[0-9]+")
_CLEAN_EVERY_SECONDS = 60


def request_hash(keyid: str, method: str, url: str, digest: str | None) -> str:
    """Return the 32 hexadecimal digits that stand for a request, in files shared by all signers."""
    text = "\0".join((keyid, method, url, digest or ""))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:32]


class ProcessMemory:
    """The requests that this process signed, by second. Threads share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # For each second, when each request was first signed in it, and its last use.
        self._seconds: dict[int, tuple[dict[int, float], float]] = {}
        self._forget_at = 0.0
        if hasattr(os, "register_at_fork"):
            # Another thread may hold the lock at the moment of the fork.
            os.register_at_fork(after_in_child=self._renew_lock)

    def take(self, request: str, second: int, shared_for: float = 0.0) -> bool:
        """Remember a request in a second; False if it is there for longer than it may be shared."""
        entry = int(request[:16], 16)
        now = time.monotonic()
        with self._lock:
            self._forget(now)
            requests, _ = self._seconds.get(second, ({}, now))
            if entry in requests:
                return now - requests[entry] < shared_for
            requests[entry] = now
            self._seconds[second] = (requests, now)
            return True

    def clear(self) -> None:
        """Forget everything; for tests."""
        with self._lock:
            self._seconds.clear()

    def _forget(self, now: float) -> None:
        if now < self._forget_at:
            return
        self._forget_at = now + 1
        old = [s for s, (_, used) in self._seconds.items() if now - used > REMEMBER_SECONDS]
        for second in old:
            del self._seconds[second]

    def _renew_lock(self) -> None:
        self._lock = threading.Lock()


process_memory = ProcessMemory()
"""Shared by all signers of the process, because programs often create one for each request."""


class SharedFolder:
    """A folder in which processes record what they signed: one file for each request and second."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = Path(folder)
        self._clean_at = 0.0

    def take(self, request: str, second: int) -> bool:
        """Create the file of a request and second; False if it exists."""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._clean()
            return self._create(self._folder / f"{request}.{second}")
        except OSError as error:
            raise SigningError(
                "signing_failed",
                f"The shared folder cannot be written: {error.strerror}. Let this process create "
                "files there, or leave out shared_folder if only one process signs.",
            ) from error

    @staticmethod
    def _create(path: Path) -> bool:
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            return False
        return True

    def _clean(self) -> None:
        if time.monotonic() < self._clean_at:
            return
        self._clean_at = time.monotonic() + _CLEAN_EVERY_SECONDS
        oldest = time.time() - REMEMBER_SECONDS
        with os.scandir(self._folder) as entries:
            for entry in entries:
                if not _FILE_NAME.fullmatch(entry.name):
                    continue
                try:
                    if entry.stat().st_mtime < oldest:
                        Path(entry.path).unlink()
                except FileNotFoundError:
                    continue  # Another process was faster.
