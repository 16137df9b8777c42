"""Takes a file from its official home over HTTPS, going on where an earlier try stopped."""

from __future__ import annotations

import os
from collections.abc import Callable
from types import TracebackType

import httpx

from models.weights.errors import FetchError
from models.weights.partial import PartialFile

CONNECT_TIMEOUT_S = 4.0
"""A home that does not answer by then is taken for unreachable: in some countries and banks that is the rule."""
READ_TIMEOUT_S = 30.0
HUB = "https://huggingface.co/"


class Homes:
    """The official homes, with those remembered that did not answer, so that each is waited for once."""

    def __init__(self, note: Callable[[str], None], transport: httpx.BaseTransport | None = None) -> None:
        """Open a client; nothing is sent yet.

        Args:
            note: Told in one line when a home cannot be reached.
            transport: For tests.
        """
        self._note = note
        self._unreachable: set[str] = set()
        # The hub's own variable names a mirror of the whole hub; the hashes guard the content.
        self._hub = os.environ.get("HF_ENDPOINT", HUB).rstrip("/") + "/"
        timeout = httpx.Timeout(READ_TIMEOUT_S, connect=CONNECT_TIMEOUT_S)
        self._client = httpx.Client(follow_redirects=True, timeout=timeout, transport=transport)

    def __enter__(self) -> Homes:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()

    def download(self, url: str, partial: PartialFile) -> bool:
        """Append the missing bytes.

        Returns:
            False when the home cannot be reached at all; the user was told, once for each home.

        Raises:
            FetchError: The home answers, but not with the file, or breaks off.
            DiskFullError: The file cannot be written.
        """
        address = httpx.URL(url.replace(HUB, self._hub, 1))
        if address.host in self._unreachable:
            return False
        try:
            self._stream(address, partial)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError):
            self._unreachable.add(address.host)
            self._note(f"{address.host} cannot be reached; taking the Python package index instead")
            return False
        except httpx.HTTPError as error:
            raise FetchError(f"{address.host}: {_reason(error)}") from error
        return True

    def _stream(self, address: httpx.URL, partial: PartialFile) -> None:
        headers = {"Accept-Encoding": "identity"}  # a packed answer has no ranges
        if partial.offset:
            headers["Range"] = f"bytes={partial.offset}-"
        with self._client.stream("GET", address, headers=headers) as response:
            expected = f"bytes {partial.offset}-"
            resumes = response.status_code == httpx.codes.PARTIAL_CONTENT
            if response.status_code == httpx.codes.OK or (
                resumes and not response.headers.get("Content-Range", "").startswith(expected)
            ):
                if resumes:
                    raise FetchError(f"{address.host}: sent another stretch of the file than was asked for")
                if partial.offset:
                    partial.restart()
            elif not resumes:
                raise FetchError(f"{address.host}: answers {response.status_code} {response.reason_phrase}")
            for block in response.iter_bytes():
                partial.write(block)


def _reason(error: httpx.HTTPError) -> str:
    return " ".join(str(error).split()) or type(error).__name__
