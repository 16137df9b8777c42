"""Fetching from the official home: ranges, refusals, a home that does not answer."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from models.weights.errors import FetchError
from models.weights.homes import Homes
from models.weights.partial import PartialFile
from tests.weights.registry import sha256

DATA = os.urandom(100_000)
URL = "https://home.example/net.bin"


class Server:
    """A home that serves DATA and keeps the requests."""

    def __init__(self, answer: Callable[[httpx.Request], httpx.Response] | None = None) -> None:
        self.requests: list[httpx.Request] = []
        self._answer = answer or self._serve
        self.notes: list[str] = []

    def homes(self) -> Homes:
        return Homes(self.notes.append, httpx.MockTransport(self._handle))

    def _handle(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        return self._answer(request)

    def _serve(self, request: httpx.Request) -> httpx.Response:
        wanted = request.headers.get("Range")
        if wanted is None:
            return httpx.Response(200, content=DATA)
        start = int(wanted.removeprefix("bytes=").removesuffix("-"))
        headers = {"Content-Range": f"bytes {start}-{len(DATA) - 1}/{len(DATA)}"}
        return httpx.Response(206, content=DATA[start:], headers=headers)


def partial_with(tmp_path: Path, data: bytes) -> PartialFile:
    path = tmp_path / "net.bin.part"
    path.write_bytes(data)
    return PartialFile(path, len(DATA))


def test_only_the_missing_bytes_are_asked_for(tmp_path: Path) -> None:
    server = Server()
    with server.homes() as homes, partial_with(tmp_path, DATA[:60_000]) as partial:
        assert homes.download(URL, partial)
        partial.finish(sha256(DATA), tmp_path / "net.bin")
    assert (tmp_path / "net.bin").read_bytes() == DATA
    assert server.requests[0].headers["Range"] == "bytes=60000-"


def test_a_home_without_ranges_starts_over(tmp_path: Path) -> None:
    server = Server(lambda request: httpx.Response(200, content=DATA))
    with server.homes() as homes, partial_with(tmp_path, DATA[:60_000]) as partial:
        assert homes.download(URL, partial)
        partial.finish(sha256(DATA), tmp_path / "net.bin")
    assert (tmp_path / "net.bin").read_bytes() == DATA


def test_another_stretch_than_asked_for_is_refused(tmp_path: Path) -> None:
    headers = {"Content-Range": f"bytes 0-{len(DATA) - 1}/{len(DATA)}"}
    server = Server(lambda request: httpx.Response(206, content=DATA, headers=headers))
    with server.homes() as homes, partial_with(tmp_path, DATA[:60_000]) as partial:
        with pytest.raises(FetchError, match="another stretch"):
            homes.download(URL, partial)
        assert partial.offset == 60_000


def test_a_login_page_is_not_taken_for_weights(tmp_path: Path) -> None:
    server = Server(lambda request: httpx.Response(200, content=b"<html>please log in</html>"))
    with server.homes() as homes, partial_with(tmp_path, b"") as partial:
        homes.download(URL, partial)
        with pytest.raises(FetchError, match=f"only 26 of {len(DATA)} bytes"):
            partial.finish(sha256(DATA), tmp_path / "net.bin")
    assert not (tmp_path / "net.bin").exists()


def test_more_bytes_than_named_are_refused(tmp_path: Path) -> None:
    server = Server(lambda request: httpx.Response(200, content=DATA + b"!"))
    with (
        server.homes() as homes,
        partial_with(tmp_path, b"") as partial,
        pytest.raises(FetchError, match="more than the"),
    ):
        homes.download(URL, partial)


def test_a_refusal_names_home_and_status(tmp_path: Path) -> None:
    server = Server(lambda request: httpx.Response(404))
    with (
        server.homes() as homes,
        partial_with(tmp_path, b"") as partial,
        pytest.raises(FetchError, match=r"home\.example: answers 404 Not Found"),
    ):
        homes.download(URL, partial)


def test_a_home_that_does_not_answer_is_tried_once_and_told_once(tmp_path: Path) -> None:
    def dead(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectTimeout("timed out", request=request)

    server = Server(dead)
    with server.homes() as homes, partial_with(tmp_path, b"") as partial:
        assert not homes.download(URL, partial)
        assert not homes.download("https://home.example/other.bin", partial)
    assert len(server.requests) == 1
    assert len(server.notes) == 1
    assert server.notes[0].startswith("home.example cannot be reached")


def test_a_line_that_breaks_keeps_what_arrived(tmp_path: Path) -> None:
    def cut(request: httpx.Request) -> httpx.Response:
        def body() -> Iterator[bytes]:
            yield DATA[:50_000]
            raise httpx.ReadTimeout("timed out", request=request)

        return httpx.Response(200, content=body())

    server = Server(cut)
    with server.homes() as homes, partial_with(tmp_path, b"") as partial:
        with pytest.raises(FetchError, match="timed out"):
            homes.download(URL, partial)
        assert partial.offset == 50_000
    assert not (tmp_path / "net.bin").exists()


def test_the_hub_can_be_replaced_by_its_mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "https://mirror.example")
    server = Server()
    with server.homes() as homes, partial_with(tmp_path, b"") as partial:
        assert homes.download("https://huggingface.co/a/b/resolve/1/net.bin", partial)
    assert str(server.requests[0].url) == "https://mirror.example/a/b/resolve/1/net.bin"
