"""The URL that a service sees, from what an HTTP client sends."""

from __future__ import annotations

from countersign._profile import DEFAULT_PORTS


def target_uri(scheme: str, authority: str, target: str) -> str:
    """Return the URL of a request from its scheme, its ``Host`` and its raw request target.

    The service knows its host in lower case.
    """
    authority = authority.lower()
    port = DEFAULT_PORTS.get(scheme)
    if port and authority.endswith(port):
        authority = authority[: -len(port)]
    return f"{scheme}://{authority}{target}"
