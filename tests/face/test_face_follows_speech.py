"""The whole face against real speech, measured on its pictures as a visitor would see them."""

import numpy as np
import pytest

from kiosk.errors import RenderError
from kiosk.face.animator import FaceAnimator
from kiosk.face.avatar_import import LANDMARKER_FILE
from kiosk.face.motion import plan_motion
from kiosk.face.offscreen import OffscreenRenderer
from kiosk.face.portrait import load_portrait, shipped_avatars_dir
from kiosk.face.types import Mood
from kiosk.paths import RESOURCES, checkpoints_dir
from models.landmarks.face_landmarker import FaceLandmarker
from models.tts import is_prepared, load_synthesiser
from tests.face.mouth_meter import closures, faces_in, openings, speech_agreement

FPS = 25
LEAD_S, TAIL_S = 0.6, 0.8
SENTENCES = (
    ("mei", "zh", "您好，欢迎光临，请问您要办理什么业务？"),
    ("jun", "zh", "开户请带身份证和手机，在一号柜台办理。"),
    ("anna", "en", "Welcome to our branch. My name is Anna, how may I help you today?"),
)

pytestmark = pytest.mark.weights


@pytest.fixture(scope="module")
def landmarker():
    task = checkpoints_dir() / LANDMARKER_FILE
    if not task.is_file():
        pytest.skip(f"no weights at {task}")
    return FaceLandmarker.load(task)


@pytest.fixture(scope="module")
def synthesiser():
    folder = checkpoints_dir() / "kokoro-82m"
    if not is_prepared(folder):
        pytest.skip(f"no prepared voice at {folder}")
    voice = load_synthesiser(
        "kokoro", folder, RESOURCES / "voices", voice_zh="zf_xiaoxiao", voice_en="af_heart", threads=1
    )
    yield voice
    voice.close()


@pytest.fixture(scope="module", params=SENTENCES, ids=[s[0] for s in SENTENCES])
def seen(request, landmarker, synthesiser):
    """Phonemes, times and mouth openings of one spoken sentence, with silence before and after."""
    name, language, text = request.param
    speech = synthesiser.synthesise(text, language)
    track = plan_motion(speech.samples, speech.sample_rate, speech.phonemes)
    times = np.arange(round((LEAD_S + speech.duration_s + TAIL_S) * FPS)) / FPS - LEAD_S
    animator, frames = FaceAnimator(1), []
    try:
        renderer = OffscreenRenderer(load_portrait(shipped_avatars_dir() / name), 480, 480)
    except RenderError as error:
        pytest.skip(error.message)
    with renderer:
        for t in times:
            speaking = 0 <= t < speech.duration_s
            animator.set_mood(Mood.SPEAKING if speaking else Mood.IDLE)
            frames.append(
                renderer.frame(animator.pose(float(t) + 100, track if speaking else None, max(float(t), 0)))
            )
    return speech, times, openings(faces_in(frames, landmarker))


def test_the_mouth_follows_what_is_said(seen):
    speech, times, opening = seen
    result = speech_agreement(speech.phonemes, times, opening)
    jump = np.abs(np.diff(opening)).max()
    print(f"r {result.best_correlation:.2f} at {1000 * result.best_lag_s:+.0f} ms, largest step {jump:.3f}")
    assert result.best_correlation >= 0.7
    assert abs(result.best_lag_s) <= 0.040


def test_the_mouth_is_still_in_silence(seen):
    speech, times, opening = seen
    rest = np.median(opening[times < -0.1])
    span = np.percentile(opening, 98) - rest
    silent = opening[(times < 0) | (times > speech.duration_s + 0.2)]
    assert np.abs(silent - rest).max() < 0.05 * span


def test_lips_meet_on_every_bilabial(seen):
    speech, times, opening = seen
    rest = np.median(opening[times < -0.1])
    span = np.percentile(opening, 98) - rest
    found = closures(speech.phonemes, times, opening)
    assert found
    assert max(smallest - rest for _, _, smallest in found) < 0.05 * span


def test_nothing_jumps(seen):
    _, _, opening = seen
    assert np.abs(np.diff(opening)).max() <= 0.10
