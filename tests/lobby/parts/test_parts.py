from __future__ import annotations

import json
import urllib.request
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from models.llm.base import ChatMessage
from models.llm.server_engine import ServerChatModel
from tests.lobby.acoustics import at_level, in_room, speech_level_db
from tests.lobby.noises import NOISES
from tests.lobby.questions import QUESTIONS
from tests.lobby.report import columns, spread, write_json
from tests.lobby.rest import at_rest_after
from tests.lobby.scripted_model import LONG_QUESTION, ScriptedModel, answer_to
from tests.lobby.stage_set import RATE
from tests.lobby.tape import save
from tests.lobby.track import NS, Track
from tests.lobby.trials.own_echo import TalkOver
from tests.lobby.trials.soak import OVERLAPPING, WEIGHTS, Size, Soak, plan
from tests.lobby.visitors import holds, recordings


def noise(seconds: float, level: float) -> np.ndarray:
    return (level * np.random.default_rng(0).standard_normal(round(seconds * RATE))).astype(np.float32)


def test_a_track_knows_when_its_samples_passed() -> None:
    track = Track(1001.0)
    track.append(np.zeros(1001, np.float32))
    track.append(np.full(100, 0.5, np.float32))
    track.append(np.zeros(500, np.float32))
    track.set_time(0, 7 * NS)
    assert track.time_of(1001) == 8 * NS
    assert track.index_at(8 * NS) == 1001
    assert track.first_audible_ns(7 * NS) == 8 * NS
    assert track.last_audible_ns(7 * NS) == track.time_of(1100)
    assert track.first_audible_ns(7 * NS, 8 * NS) is None
    assert track.first_audible_ns(9 * NS) is None
    assert len(track.sound(8 * NS, 8 * NS + NS // 10)) == 100


def test_a_track_forgets_what_is_old_and_keeps_its_time() -> None:
    track = Track(1000.0, keep_s=1.0)
    track.set_time(0, 0)
    for number in range(30):
        track.append(np.full(100, number / 100, np.float32))
    assert track.length == 3000
    kept = track.sound()
    assert 1000 <= len(kept) < 1300
    assert track.sound(2_950_000_000)[0] == pytest.approx(0.29, abs=1e-3)
    assert len(track.sound(0, NS)) == 0


def test_pauses_do_not_count_for_the_level_of_speech() -> None:
    loud = noise(1, 0.1)
    with_pause = np.concatenate([loud, np.zeros(3 * RATE, np.float32), loud])
    assert speech_level_db(with_pause) == pytest.approx(-20, abs=0.2)
    assert speech_level_db(at_level(with_pause, -33)) == pytest.approx(-33, abs=0.2)
    assert speech_level_db(np.zeros(0, np.float32)) == -120


def test_a_room_adds_a_tail_and_no_level() -> None:
    sound = noise(2, 0.1)
    heard = in_room(sound, 3)
    assert len(heard) > len(sound) + 0.3 * RATE
    assert speech_level_db(heard[: 2 * RATE]) == pytest.approx(-20, abs=1)
    assert np.std(heard[2 * RATE : 2 * RATE + 2000]) > 5 * np.std(heard[-2000:])


def test_the_mouth_is_at_rest_when_it_no_longer_moves() -> None:
    times = np.arange(0, 3, 1 / 30)
    opening = np.where(times < 1.7, 0.15 + 0.1 * np.sin(9 * times), 0.02).astype(np.float32)
    assert at_rest_after(times, opening, 1.5) == pytest.approx(0.2, abs=0.05)
    assert at_rest_after(times, opening, 2.0) == 0
    assert at_rest_after(times, np.full(len(times), 0.02, np.float32), 1.5) is None


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.text)
def test_the_scripted_model_knows_the_questions(question: object) -> None:
    assert holds(question.fact, answer_to(question.text), question.language)


def test_the_scripted_model_answers_the_last_of_two_questions() -> None:
    assert answer_to("跨行转账手续费是多少，贷款找谁办理？") == answer_to("贷款找谁办理？")


def test_the_scripted_model_speaks_the_interface() -> None:
    with ScriptedModel() as script:
        address = script.config.split('"')[3]
        with urllib.request.urlopen(f"{address}/models") as response:
            assert json.load(response)["data"]
        model = ServerChatModel.load(address, context_tokens=2048)
        asked = [ChatMessage(role="user", content=LONG_QUESTION["zh"])]
        answer = "".join(model.stream(asked, max_new_tokens=96))
        model.close()
    assert answer == answer_to(LONG_QUESTION["zh"])
    assert len(answer) > 300
    assert answer.count("。") == 1


@pytest.mark.parametrize("name", NOISES)
def test_noises_are_bounded_sounds_and_differ(name: str) -> None:
    first, again, other = NOISES[name](1), NOISES[name](1), NOISES[name](2)
    assert np.array_equal(first, again)
    assert len(first) != len(other) or not np.array_equal(first, other)
    assert 0.2 * RATE < len(first) < 2.5 * RATE
    assert np.abs(first).max() == pytest.approx(0.5, abs=1e-3)


def test_random_events_repeat_and_keep_their_shares() -> None:
    events = list(plan(4000, 5))
    assert events == list(plan(4000, 5))
    assert events != list(plan(4000, 6))
    assert np.mean([event.overlaps for event in events]) == pytest.approx(OVERLAPPING, abs=0.03)
    counts = Counter(event.kind for event in events)
    for kind, weight in WEIGHTS.items():
        assert counts[kind] / 4000 == pytest.approx(weight / sum(WEIGHTS.values()), abs=0.03)


def test_growth_is_counted_from_the_warm_kiosk_on() -> None:
    small, large = (Size(threads=30, handles=100, resident_mb=mb) for mb in (1000.0, 1010.0))
    growth = Soak(start=None, warm=small, end=large).growth
    assert growth == {"threads": 0, "handles": 0, "resident_mb": pytest.approx(1)}


def test_figures_as_table_and_as_json(tmp_path: Path) -> None:
    rows = [TalkOver(text="你好", level_db=-30.0, echo_db=-30.0, is_heard=True, noticed_ms=120.4)]
    assert "120" in columns(rows)
    assert spread([100.0, None, 200.0]) == "p50 150 ms, p95 195 ms, largest 200 ms, 2 of 3"
    assert spread([None]) == "none"
    path = tmp_path / "a.json"
    write_json(path, "echo", rows, heard=1)
    data = json.loads(path.read_text(encoding="utf-8"))
    assert (data["trial"], data["heard"], data["rows"][0]["text"]) == ("echo", 1, "你好")


def test_recordings_are_read_in_order_and_an_empty_folder_says_so(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no WAV"):
        recordings(tmp_path)
    for name in ("b", "a"):
        save(tmp_path / f"{name}.wav", noise(0.5, 0.1))
    found = recordings(tmp_path)
    assert [path.name for path, _ in found] == ["a.wav", "b.wav"]
    assert len(found[0][1]) == RATE // 2
