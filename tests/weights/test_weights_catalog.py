"""The catalogue: the real one is complete, a wrong one is refused with the place of the fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.weights.catalog import GIB, LANGUAGE_MODEL, load_catalog
from models.weights.errors import CatalogError
from models.weights.prepare import PREPARERS
from tests.weights.registry import catalog_of, checkpoint_entry, file_entry, part


def test_the_catalogue_covers_every_stage_and_states_licences() -> None:
    catalog = load_catalog()
    assert {c.stage for c in catalog.checkpoints if c.is_default} == {
        "recogniser",
        "voice activity",
        "end of turn",
        LANGUAGE_MODEL,
        "synthesiser",
        "face",
    }
    for checkpoint in catalog.checkpoints:
        assert checkpoint.licence
        assert checkpoint.home.startswith("https://")
        assert checkpoint.installed_with or all(f.url or f.mirrors for f in checkpoint.files)
        assert checkpoint.preparation is None or checkpoint.preparation.preparer in PREPARERS


def test_everything_fetched_by_default_may_be_used_commercially() -> None:
    assert all(c.commercial for c in load_catalog().defaults(64 * GIB))


@pytest.mark.parametrize(
    ("memory_gib", "expected"),
    [
        (1, "smollm2-135m-instruct"),
        (4, "qwen2.5-coder-0.5b-instruct"),
        (7.6, "qwen2.5-coder-1.5b-instruct"),
        (64, "qwen2.5-coder-1.5b-instruct"),
    ],
)
def test_the_language_model_fits_the_memory(memory_gib: float, expected: str) -> None:
    defaults = load_catalog().defaults(int(memory_gib * GIB))
    assert [c.name for c in defaults if c.stage == LANGUAGE_MODEL] == [expected]


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(CatalogError, match="did you mean whisper-base"):
        load_catalog().get("whisper-bass")


GOOD = file_entry("a.bin", b"abc", [part("p", "m", b"abc")])


@pytest.mark.parametrize(
    ("entry", "complaint"),
    [
        (checkpoint_entry("x", GOOD.replace("a.bin", "../a.bin")), "does not stay inside"),
        (checkpoint_entry("x", GOOD.replace("a.bin", "/a.bin")), "does not stay inside"),
        (checkpoint_entry("x", GOOD.replace("a.bin", "model.pt")), "pickle"),
        (checkpoint_entry("x", GOOD.replace("size = 3", "size = 4", 1)), "do not add up"),
        (checkpoint_entry("x", GOOD.replace("sha256", "sha", 1)), "lacks sha256"),
        (checkpoint_entry("x", GOOD.replace('package = "p"', 'package = "--index-url=x"')), "no package name"),
        (checkpoint_entry("x", GOOD.replace('"1.0.0"', '"1.0.0 @ file:///x"')), "no exact version"),
        (checkpoint_entry("x", file_entry("a.bin", b"abc", url="http://home.example/a.bin")), "https://"),
        (
            checkpoint_entry("x", GOOD).replace("commercial = true", 'commercial = "yes"'),
            "commercial must be of type",
        ),
        (checkpoint_entry("x", GOOD) + checkpoint_entry("x", GOOD), "used twice"),
    ],
)
def test_a_wrong_entry_is_refused(tmp_path: Path, entry: str, complaint: str) -> None:
    with pytest.raises(CatalogError, match=complaint):
        catalog_of(tmp_path, entry)
