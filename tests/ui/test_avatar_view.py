"""The view on a real OpenGL context (Mesa on Xvfb), in a process of its own for each scale."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(shutil.which("xvfb-run") is None, reason="needs a virtual screen: apt-get install xvfb"),
]
ROOT = Path(__file__).resolve().parents[2]


def probe(what: str, scale: str = "1", logged: str = "") -> dict:
    environment = os.environ | {"QT_QPA_PLATFORM": "xcb", "QT_SCALE_FACTOR": scale, "PYTHONPATH": str(ROOT)}
    screen = ["xvfb-run", "-a", "-s", "-screen 0 1920x1200x24"]
    command = [*screen, sys.executable, str(Path(__file__).with_name("gl_probe.py")), what]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == logged, "nothing else may be printed"
    return json.loads(done.stdout)


@pytest.mark.parametrize("scale", ["1", "1.25", "2"])
def test_the_viewport_is_the_size_in_device_pixels(scale):
    report = probe("sizes", scale)
    assert len(report["views"]) == 6, "three sizes as a window of its own, three as a widget"
    for view in report["views"]:
        assert view["viewport"] == view["framebuffer"]
        assert view["framebuffer"] == pytest.approx(view["expected"], abs=1)
        assert view["corners"] == [[0, 0, 255], [255, 255, 255], [255, 0, 0], [0, 255, 0]]
    assert report["released"] == 6, "closing twice frees once"


def test_the_face_moves_and_equals_the_still_picture_at_rest():
    report = probe("face")
    assert report["difference_to_still"] < 3.0
    assert 0.005 < report["changed_share"] < 0.2
    assert 0.5 < report["changed_row"] < 0.85, "the mouth lies in the lower half"
    assert report["drawn"] >= 5
    assert report["drawn_after"] > report["drawn"], "drawing goes on in full screen"
    assert report["full_is_face"] > 20
    assert report["grown"] == [960, 700]
    assert report["grown_difference_to_still"] < 3.0


@pytest.mark.parametrize("scale", ["1", "2"])
def test_the_ai_label_lies_over_the_face_in_every_language_and_size_and_while_typing(scale):
    report = probe("label", scale)
    assert len(report) == 8
    for difference, contrast in report.values():
        assert contrast > 20, "there are words"
        assert difference < 3.0


def test_when_opengl_refuses_the_portrait_stands_still_and_it_is_said_once():
    message = "OpenGL 3.3 does not work here; update the graphics driver"
    report = probe("failure", logged=message + "\n")
    assert report["heard"] == [message]
    assert report["still_shown"]
    assert report["skin"] > 30


def test_closing_in_every_state_ends_cleanly_and_idle_draws_less():
    report = probe("closing")
    rates = report["rates"]
    assert len(rates) == 14
    assert report["touched"] == 14, "a touch on the face reaches the window"
    assert rates["speaking"][0] > rates["attract"][0] > 0
