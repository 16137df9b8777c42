"""From a photo to an avatar: check it, turn it upright, crop it, find its landmarks, store it as one step.

Also the one way to look an avatar up by name or by the path of a photo.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from kiosk.errors import AvatarError
from kiosk.face import portrait as store
from kiosk.face.picture_file import read_picture, write_png
from kiosk.face.portrait import Portrait, load_portrait
from kiosk.face.quality import Grade, Landmarker, PortraitReport, check_portrait
from kiosk.paths import checkpoints_dir
from models.landmarks.face_landmarker import MIN_PRESENCE, Face, FaceLandmarker
from models.types import Language

LANDMARKER_FILE = "face-landmarker/face_landmarker.task"
_PUPILS_KEPT = 240  # px: more detail than a 4K screen shows of a face with its shoulders
_CROP_PUPILS = (4.6, 3.4, 4.6, 5.0)  # pupil distances kept left of, above, right of and below the eyes
_UPRIGHT_FROM = 1.5  # degrees of roll that are turned back


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedAvatar:
    """One line of `avatar list`."""

    name: str
    titles: dict[Language, str]
    is_shipped: bool
    """Came with the program."""


def load_landmarker() -> FaceLandmarker:
    """The networks that find faces.

    Raises:
        CheckpointError: They are absent or damaged.
    """
    return FaceLandmarker.load(checkpoints_dir() / LANDMARKER_FILE)


def list_avatars() -> list[ListedAvatar]:
    """All avatars by name; damaged ones are left out."""
    listed = []
    for name, folder in sorted(store.avatar_folders().items()):
        try:
            titles = store.read_titles(folder)
        except AvatarError:
            continue
        listed.append(ListedAvatar(name=name, titles=titles, is_shipped=folder.parent == store.shipped_avatars_dir()))
    return listed


def find_avatar(name_or_photo: str, landmarker: Callable[[], Landmarker] = load_landmarker) -> Portrait:
    """An avatar by its name, or one made on the spot from a photo's path.

    Args:
        name_or_photo: As `avatar list` prints it, or the path of a picture.
        landmarker: Called only when a photo has to be looked at.

    Raises:
        AvatarError: There is neither such an avatar nor such a file, or the photo is not fit.
        CheckpointError: A photo needs the landmark networks and they are absent.
    """
    folder = store.avatar_folders().get(name_or_photo)
    if folder is not None:
        return load_portrait(folder)
    path = Path(name_or_photo)
    if path.is_file():
        return portrait_from_photo(path, landmarker())
    known = ", ".join(sorted(store.avatar_folders()))
    raise AvatarError("no-avatar", f"{name_or_photo}: no such avatar or photo; known avatars: {known}")


def portrait_from_photo(path: Path, landmarker: Landmarker, name: str = "photo") -> Portrait:
    """Check a photo and make a portrait of its largest face.

    Raises:
        AvatarError: The file is no picture, or the photo is not fit; the text says why.
    """
    picture = read_picture(path)
    report = check_portrait(picture, landmarker)
    if report.face is None or report.grade is Grade.BAD:
        raise AvatarError("unfit-photo", f"{path}: {refusal(report)}")
    image, face = _upright_crop(picture, report.face, report.roll_degrees, landmarker)
    return Portrait(
        name=name,
        titles={"zh": name, "en": name},
        voices=dict(store.DEFAULT_VOICES),
        licence="",
        provenance="a photo that the operator added",
        image=image,
        landmarks=np.ascontiguousarray(face.points[:, :2]),
        depth=np.ascontiguousarray(face.points[:, 2]),
    )


def refusal(report: PortraitReport, language: Language = "en") -> str:
    """Why a photo is refused, one line; the advice of the bad rows without repetition."""
    bad = [row for row in report.rows if row.grade is Grade.BAD]
    return "; ".join(dict.fromkeys(f"{row.advice(language)} ({row.title(language)} {row.value:g})" for row in bad))


def add_avatar(path: Path, name: str, landmarker: Landmarker) -> Portrait:
    """Import a photo into this machine's own avatars; nothing half-made stays, an older one of the name is replaced.

    Args:
        path: The photo.
        name: What somebody typed; see `clean_name`.
        landmarker: Finds the face.

    Raises:
        AvatarError: As `portrait_from_photo`; or the name is unusable, or the avatar cannot be stored.
    """
    folder = store.own_avatars_dir() / store.clean_name(name)
    portrait = portrait_from_photo(path, landmarker, folder.name)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".new-", dir=folder.parent) as scratch:
            made = Path(scratch) / folder.name
            made.mkdir()
            _write(portrait, name.strip(), made)
            _put_in_place(made, folder, Path(scratch) / "old")
    except OSError as error:
        raise AvatarError(
            "not-stored", f"{folder}: cannot be written ({error.strerror}); free some disk space or set KIOSK_DATA"
        ) from error
    return load_portrait(folder)


def _write(portrait: Portrait, title: str, folder: Path) -> None:
    write_png(folder / store.PICTURE_FILE, portrait.image)
    points = np.concatenate([portrait.landmarks, portrait.depth[:, None]], 1)
    np.savez_compressed(folder / store.LANDMARKS_FILE, points=points)
    facts = {
        "title_zh": title,
        "title_en": title,
        "voice_zh": portrait.voices["zh"],
        "voice_en": portrait.voices["en"],
        "licence": portrait.licence,
        "provenance": portrait.provenance,
    }
    lines = [f"{key} = {_toml_text(value)}" for key, value in facts.items()]
    (folder / store.FACTS_FILE).write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


def _toml_text(value: str) -> str:
    return json.dumps(value.replace("\x7f", ""), ensure_ascii=False)  # JSON strings are TOML strings but for DEL


def _put_in_place(made: Path, folder: Path, old: Path) -> None:
    if folder.exists():
        os.replace(folder, old)
    try:
        os.replace(made, folder)
    except OSError:
        if old.exists():
            os.replace(old, folder)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _upright_crop(
    picture: NDArray[np.uint8], face: Face, roll_degrees: float, landmarker: Landmarker
) -> tuple[NDArray[np.uint8], Face]:
    """Head and shoulders of the face, upright and no larger than a screen needs, with its landmarks."""
    scale = min(1.0, _PUPILS_KEPT / face.pupil_distance)
    angle = roll_degrees if abs(roll_degrees) >= _UPRIGHT_FROM else 0.0
    eyes = face.points[[468, 473], :2].mean(0)
    reach = np.array(_CROP_PUPILS) * face.pupil_distance
    if angle == 0:  # cut along the photo's own edges: nothing has to be made up
        low = np.maximum(eyes - reach[:2], 0).astype(int)
        high = np.minimum(eyes + reach[2:], picture.shape[1::-1]).astype(int)
        crop = picture[low[1] : high[1], low[0] : high[0]]
        size = round(crop.shape[1] * scale), round(crop.shape[0] * scale)
        image = np.asarray(cv2.resize(crop, size, interpolation=cv2.INTER_AREA), np.uint8)
    else:
        small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        eyes, reach = eyes * scale, reach * scale
        size = round(reach[0] + reach[2]), round(reach[1] + reach[3])
        matrix = cv2.getRotationMatrix2D((float(eyes[0]), float(eyes[1])), angle, 1.0)
        matrix[:, 2] += reach[:2] - eyes
        turned = cv2.warpAffine(small, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        image = np.asarray(turned, np.uint8)
    found = [f for f in landmarker.faces(image, refine=2) if f.presence >= MIN_PRESENCE]
    if not found:
        raise AvatarError("unfit-photo", "the face is lost when the photo is cut out; use another photo")
    middle = np.array(size) / 2
    return np.ascontiguousarray(image), min(found, key=lambda f: float(np.linalg.norm(f.points[1, :2] - middle)))
