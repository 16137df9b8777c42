"""Choosing a device."""

from __future__ import annotations

import dataclasses

import pytest

from kiosk.audio.devices import find_device
from kiosk.errors import AudioError
from tests.audio.fake_host import LOUDSPEAKER, MICROPHONE, device

OTHER = dataclasses.replace(device(2, "Logitech StreamCam", inputs=2), is_default_input=False)


def test_default_is_the_systems_default() -> None:
    assert find_device([OTHER, MICROPHONE, LOUDSPEAKER], "input") is MICROPHONE
    assert find_device([OTHER, MICROPHONE, LOUDSPEAKER], "output") is LOUDSPEAKER


def test_without_a_default_any_will_do() -> None:
    assert find_device([LOUDSPEAKER, OTHER], "input") is OTHER


def test_part_of_a_name_in_any_case() -> None:
    assert find_device([MICROPHONE, OTHER], "input", "streamcam") is OTHER


def test_an_exact_name_goes_first() -> None:
    long, exact = device(3, "USB microphone 2", inputs=1), device(4, "USB micro", inputs=1)
    assert find_device([long, exact], "input", "usb micro") is exact


def test_a_wrong_name_lists_what_there_is() -> None:
    with pytest.raises(AudioError, match=r'no microphone named "Jabra".*USB microphone, Logitech') as caught:
        find_device([MICROPHONE, LOUDSPEAKER, OTHER], "input", "Jabra")
    assert caught.value.code == "no-microphone"
    assert "\n" not in caught.value.message


def test_nothing_plugged_in() -> None:
    with pytest.raises(AudioError, match="no loudspeaker found; plug one in"):
        find_device([MICROPHONE], "output")
