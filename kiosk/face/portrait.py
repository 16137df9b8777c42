"""An avatar as it lies on disk: a folder with the picture, its landmarks and a page of facts.

<name>/portrait.png    RGB or, as a cut-out, RGBA (straight alpha)
<name>/landmarks.npz   `points`, float32 (478, 3): found once at import, so that the kiosk starts without networks
<name>/avatar.toml     titles, voices, licence, provenance
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from kiosk.errors import AvatarError
from kiosk.face.picture_file import read_picture
from kiosk.face.topology import LEFT_PUPIL, RIGHT_PUPIL
from kiosk.paths import RESOURCES, data_dir
from models.types import LANGUAGES, FloatArray, Language

NUM_LANDMARKS = 478
PICTURE_FILE, LANDMARKS_FILE, FACTS_FILE = "portrait.png", "landmarks.npz", "avatar.toml"
DEFAULT_VOICES: dict[Language, str] = {"zh": "zf_xiaoxiao", "en": "af_heart"}
BACKDROP = ((216, 223, 229), (172, 184, 194))
"""RGB behind a cut-out: near the head, and in the corners."""

_FORBIDDEN_IN_NAMES = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*]+')
_RESERVED_NAMES = {"con", "prn", "aux", "nul", *(f"{p}{i}" for p in ("com", "lpt") for i in range(1, 10))}
_MAX_NAME = 40  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class Portrait:
    """A face that can be made to talk."""

    name: str
    """As `avatar list` prints it."""
    titles: dict[Language, str]
    """Name for the screen."""
    voices: dict[Language, str]
    """Name of the synthesiser's voice that suits the face."""
    licence: str
    """Of the picture; empty when the operator added it."""
    provenance: str
    """Where the picture comes from, one line."""
    image: NDArray[np.uint8]
    """RGB (H, W, 3), or RGBA (H, W, 4) with straight alpha for a cut-out."""
    landmarks: FloatArray
    """Pixels, x right, y down, shape (478, 2)."""
    depth: FloatArray
    """Depth of the landmarks in pixels, smaller is nearer, shape (478,)."""
    backdrop: tuple[tuple[int, int, int], tuple[int, int, int]] = BACKDROP
    """RGB behind a cut-out: near the head, and in the corners."""

    @property
    def pupil_distance(self) -> float:
        """Pixels between the pupils."""
        return float(np.linalg.norm(self.landmarks[LEFT_PUPIL] - self.landmarks[RIGHT_PUPIL]))

    @property
    def is_cut_out(self) -> bool:
        """The picture has an alpha channel, so any backdrop can stand behind it."""
        return bool(self.image.shape[2] == 4)


def shipped_avatars_dir() -> Path:
    """Where the avatars of the program lie."""
    return RESOURCES / "avatars"


def own_avatars_dir() -> Path:
    """Where the avatars that this machine's operator added lie."""
    return data_dir() / "avatars"


def clean_name(name: str) -> str:
    """A folder name that works on every system, from what somebody typed.

    Raises:
        AvatarError: Nothing usable is left.
    """
    cleaned = _FORBIDDEN_IN_NAMES.sub(" ", name).strip(" .")
    cleaned = re.sub(r"\s+", "-", cleaned)[:_MAX_NAME].strip("-.")
    if not cleaned or cleaned.lower() in _RESERVED_NAMES:
        raise AvatarError("bad-name", f"{name!r} cannot name an avatar; use letters or digits, such as --name anna")
    return cleaned


def avatar_folders() -> dict[str, Path]:
    """Folders of all avatars by name, the operator's own before shipped ones of the same name."""
    folders: dict[str, Path] = {}
    for base in (shipped_avatars_dir(), own_avatars_dir()):
        if base.is_dir():
            folders |= {f.name: f for f in sorted(base.iterdir()) if (f / FACTS_FILE).is_file()}
    return folders


def load_portrait(folder: Path) -> Portrait:
    """Read an avatar's folder.

    Raises:
        AvatarError: A file is absent or damaged.
    """
    facts = _read_facts(folder / FACTS_FILE)
    image = read_picture(folder / PICTURE_FILE, with_alpha=True)
    try:
        with np.load(folder / LANDMARKS_FILE, allow_pickle=False) as stored:
            points = np.asarray(stored["points"], np.float32)
    except (OSError, KeyError, ValueError, EOFError, BadZipFile) as error:
        raise _damaged(folder / LANDMARKS_FILE) from error
    if points.shape != (NUM_LANDMARKS, 3) or not np.isfinite(points).all():
        raise _damaged(folder / LANDMARKS_FILE)
    return Portrait(
        name=folder.name,
        titles={language: str(facts.get(f"title_{language}") or folder.name) for language in LANGUAGES},
        voices={language: str(facts.get(f"voice_{language}") or DEFAULT_VOICES[language]) for language in LANGUAGES},
        licence=str(facts.get("licence", "")),
        provenance=str(facts.get("provenance", "")),
        image=image,
        landmarks=np.ascontiguousarray(points[:, :2]),
        depth=np.ascontiguousarray(points[:, 2]),
    )


def read_titles(folder: Path) -> dict[Language, str]:
    """The names for the screen alone, without reading the picture.

    Raises:
        AvatarError: The page of facts is absent or damaged.
    """
    facts = _read_facts(folder / FACTS_FILE)
    return {language: str(facts.get(f"title_{language}") or folder.name) for language in LANGUAGES}


def _read_facts(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:  # bad UTF-8 and bad TOML are ValueErrors
        raise _damaged(path) from error


def _damaged(path: Path) -> AvatarError:
    return AvatarError("bad-avatar", f"{path}: is absent or damaged; add the avatar again with `avatar add`")
