"""Vectors that are kept: each sentence is encoded once, whatever happens to the file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from kiosk.answers.kept_vectors import BATCH, KeptVectors
from models.types import FloatArray


class Counting:
    """Encodes a sentence as its length and its first letter; counts."""

    identity = "counting"

    def __init__(self) -> None:
        self.seen: list[str] = []

    def encode(self, texts: Sequence[str]) -> FloatArray:
        self.seen += texts
        return np.array([[len(text), ord(text[0]) / 65536] for text in texts], np.float32)

    def close(self) -> None: ...


def kept(path: Path | None) -> tuple[KeptVectors, Counting]:
    encoder = Counting()
    return KeptVectors(encoder, path), encoder


def test_a_sentence_is_encoded_once(tmp_path: Path) -> None:
    path = tmp_path / "vectors" / "a.npz"
    first, encoder = kept(path)
    before = first.encode(["几点开门", "open", "几点开门"])
    assert before is not None
    assert before.shape == (3, 2)
    second, again = kept(path)
    after = second.encode(["open", "更多", "几点开门"])
    assert after is not None
    assert again.seen == ["更多"]
    np.testing.assert_allclose(after[[2, 0]], before[[0, 1]], rtol=1e-3)
    assert len(encoder.seen) == 3


def test_what_is_not_asked_for_is_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    kept(path)[0].encode(["one", "two"])
    kept(path)[0].encode(["two", "three"])
    vectors, encoder = kept(path)
    vectors.encode(["one", "two", "three"])
    assert encoder.seen == ["one"]


def test_nothing_new_leaves_the_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    kept(path)[0].encode(["one", "two"])
    written = path.stat().st_mtime_ns
    found = kept(path)[0].encode(["two"])
    assert found is not None
    assert found[0, 0] == 3
    assert path.stat().st_mtime_ns == written


@pytest.mark.parametrize("content", [b"", b"PK nothing", b"\x00" * 4000])
def test_a_damaged_file_is_made_anew(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.npz"
    path.write_bytes(content)
    kept(path)[0].encode(["one"])
    vectors, encoder = kept(path)
    vectors.encode(["one"])
    assert encoder.seen == []


def test_without_a_place_everything_is_encoded(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for path in (None, tmp_path / "file" / "a.npz"):
        (tmp_path / "file").touch()
        for _ in range(2):
            vectors, encoder = kept(path)
            found = vectors.encode(["one"])
            assert found is not None
            assert encoder.seen == ["one"]
    assert "cannot be written" in caplog.text
    empty = kept(None)[0].encode([])
    assert empty is not None
    assert len(empty) == 0


def test_it_can_be_stopped() -> None:
    asked = iter([False, True])
    vectors, encoder = kept(None)
    assert vectors.encode([str(i) for i in range(3 * BATCH)], lambda: next(asked)) is None
    assert len(encoder.seen) == BATCH
