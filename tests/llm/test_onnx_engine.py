from __future__ import annotations

import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tokenizers import pre_tokenizers

from models.errors import CheckpointError, ModelError, ModelInputError
from models.llm.base import ChatMessage
from models.llm.onnx_decoder import CHUNK_TOKENS, OnnxDecoder
from models.llm.onnx_engine import MAX_KEPT_PROMPTS, OnnxChatModel
from models.llm.prompt_lookup import guess_from, guess_next
from tests.llm.tiny_gguf import TOKENS

ROOT = Path(__file__).resolve().parents[2]
SYSTEM = ChatMessage(role="system", content="我们周一到周五上午9点开门。" * 8)
ENGLISH = ChatMessage(role="system", content="On Sunday we are closed. " * 8)


def load(folder: Path, context_tokens: int = 2048, guessed_tokens: int = 3) -> OnnxChatModel:
    return OnnxChatModel.load(folder, threads=1, context_tokens=context_tokens, guessed_tokens=guessed_tokens)


@pytest.fixture
def model(onnx_folder: Path) -> Iterator[OnnxChatModel]:
    model = load(onnx_folder)
    yield model
    model.close()


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many tokens each step of the network reads, as it goes."""
    sizes: list[int] = []
    step = OnnxDecoder._step

    def counted(self: OnnxDecoder, ids: list[int], num_wanted: int, output: str) -> object:
        sizes.append(len(ids))
        return step(self, ids, num_wanted, output)

    monkeypatch.setattr(OnnxDecoder, "_step", counted)
    return sizes


def say(model: OnnxChatModel, *messages: ChatMessage, tokens: int = 24) -> str:
    return "".join(model.stream(messages, max_new_tokens=tokens))


def user(text: str) -> ChatMessage:
    return ChatMessage(role="user", content=text)


def test_kept_and_shared_openings_change_no_answer(onnx_folder: Path) -> None:
    keeping = load(onnx_folder)
    keeping.warm_up([SYSTEM.content, ENGLISH.content])
    history = (user("我叫王芳，卡号1234。"), ChatMessage(role="assistant", content="您好。"))
    prompts = [
        (SYSTEM, user("a")),
        (SYSTEM, *history, user("几点开门？" * 40)),
        (ENGLISH, user("b")),
        (SYSTEM, user("a")),
        (user("没有系统提示"),),
        (ENGLISH, user("long question " * 80)),
    ]
    answers = [say(keeping, *prompt) for prompt in prompts]
    for prompt, answer in zip(prompts, answers, strict=True):
        fresh = load(onnx_folder, guessed_tokens=0)
        assert say(fresh, *prompt) == answer
        fresh.close()
    assert {len(answer) for answer in answers} == {24}
    assert len(set(answers)) == len(prompts) - 1  # two are the same
    keeping.close()


def test_only_new_tokens_are_read(model: OnnxChatModel, steps: list[int]) -> None:
    model.warm_up([SYSTEM.content, ENGLISH.content])
    steps.clear()
    say(model, SYSTEM, user("ab"), tokens=1)
    opening = model.count_tokens([SYSTEM, user("ab")]) - model.count_tokens([SYSTEM, user("")])
    assert opening == 2
    after_system = len("user\nab") + len("assistant\n") + 4  # four control tokens and a line break, one is shared
    assert sum(steps) == pytest.approx(after_system, abs=2)
    steps.clear()
    answer = say(model, SYSTEM, user("ab"), tokens=4)
    steps.clear()
    say(model, SYSTEM, user("ab"), ChatMessage(role="assistant", content=answer), user("c"), tokens=1)
    assert sum(steps) <= len(answer) + len("user\nc") + len("assistant\n") + 5


def test_guesses_save_steps_and_are_checked(onnx_folder: Path, steps: list[int]) -> None:
    model = load(onnx_folder)
    plain = OnnxDecoder.load(onnx_folder, threads=1, context_tokens=2048)
    saved = 0
    for messages in ((SYSTEM, user("几点开门？")), (ENGLISH, user("When?")), (user("x"),)):
        prompt = model._chat.encode(messages)
        model._network().keep(prompt)
        steps.clear()
        answer = list(model._next_ids(prompt, 200, lambda: False))
        saved += len(answer) - len(steps)
        assert len(answer) == 200
        for length in range(len(prompt), len(prompt) + 200):  # each token is what a step of its own would choose
            (logits,) = plain.logits([*prompt, *answer][:length])
            missing = logits.max() - logits[answer[length - len(prompt)]]
            assert missing <= 0.05 * np.std(logits)  # steps of several tokens round in another order
    assert saved > 60  # a random network falls into repeating itself, which can be guessed


def test_a_likely_answer_saves_steps_and_a_wrong_one_changes_nothing(model: OnnxChatModel, steps: list[int]) -> None:
    def answer(*likely: str) -> str:
        steps.clear()
        return "".join(model.stream([SYSTEM, user("几点开门？")], max_new_tokens=16, likely=likely))

    model.warm_up([SYSTEM.content])
    plain = answer()
    without = len(steps)
    assert answer("wrong from its first letter", plain) == plain
    assert answer(plain) == plain
    assert len(steps) <= 3 < without
    assert answer(plain[:5] + "~ and then wrong") == plain


def test_guess_from_follows_the_first_text_that_begins_alike() -> None:
    texts = [[1, 2, 3], [1, 5, 6, 7], [1, 5, 8, 9]]
    assert guess_from(texts, [], 2) == [1, 2]
    assert guess_from(texts, [1, 5], 9) == [6, 7]
    assert guess_from(texts, [1, 5, 8], 1) == [9]
    assert guess_from(texts, [1, 2, 3], 4) == []
    assert guess_from(texts, [4], 4) == []
    assert guess_from([], [], 4) == []


def test_guess_is_what_followed_the_longest_latest_match() -> None:
    assert guess_next([1, 2, 3, 4, 5, 6, 1, 2, 3], 2) == [4, 5]
    assert guess_next([9, 2, 3, 7, 1, 2, 3, 4, 2, 3, 8, 1, 2, 3], 3) == [4, 2, 3]  # three before the later two
    assert guess_next([2, 3, 7, 2, 3, 8, 0, 2, 3], 1) == [8]
    assert guess_next([1, 2, 3], 3) == []
    assert guess_next([5, 5, 5, 5], 3) == [5]
    assert guess_next([], 3) == []


def test_characters_stay_whole(model: OnnxChatModel, monkeypatch: pytest.MonkeyPatch) -> None:
    cut = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    ids = [TOKENS.index(byte) for byte in cut.pre_tokenize_str("在1号柜台😀")[0][0]]
    monkeypatch.setattr(model, "_next_ids", lambda prompt, room, should_stop, likely: iter(ids))
    pieces = list(model.stream([user("a")], max_new_tokens=99))
    assert pieces == list("在1号柜台😀")


def test_ends_at_a_stop_token(onnx_folder: Path) -> None:
    model = load(onnx_folder)
    full = say(model, user("count"), tokens=30)
    last = full[20]
    model._stops = frozenset([TOKENS.index(last)])
    assert say(model, user("count"), tokens=30) == full[: full.index(last)]
    model.close()


def test_ends_at_the_limit_of_tokens_and_of_the_context(onnx_folder: Path) -> None:
    model = load(onnx_folder, context_tokens=64)
    assert len(say(model, user("count"), tokens=5)) == 5
    prompt = model.count_tokens([user("count")])
    assert len(list(model.stream([user("count")], max_new_tokens=500))) == 64 - prompt  # ASCII: a piece to a token
    with pytest.raises(ModelInputError, match="context 64"):
        say(model, user("x" * 100))
    with pytest.raises(ModelInputError, match="context 64"):
        model.warm_up(["x" * 100])
    model.close()


def test_stop_is_heard_between_tokens_and_between_chunks(model: OnnxChatModel, steps: list[int]) -> None:
    asked = 0

    def should_stop() -> bool:
        nonlocal asked
        asked += 1
        return asked > 6

    text = "".join(model.stream([user("go on")], max_new_tokens=2000, should_stop=should_stop))
    assert 0 < len(text) <= 6
    expected = say(model, user("x" * 5 * CHUNK_TOKENS))
    fresh_text = [user("y" * 5 * CHUNK_TOKENS)]
    asked = 5
    steps.clear()
    assert list(model.stream(fresh_text, max_new_tokens=9, should_stop=should_stop)) == []
    assert len(steps) == 1
    assert say(model, user("x" * 5 * CHUNK_TOKENS)) == expected


def test_two_answers_in_turns_do_not_disturb_each_other(model: OnnxChatModel) -> None:
    expected = [say(model, SYSTEM, user("a")), say(model, ENGLISH, user("b"))]
    streams = [model.stream(p, max_new_tokens=24) for p in ((SYSTEM, user("a")), (ENGLISH, user("b")))]
    texts = ["", ""]
    for pieces in zip(*streams, strict=True):
        texts = [text + piece for text, piece in zip(texts, pieces, strict=True)]
    assert texts == expected


def test_kept_prompts_are_limited(model: OnnxChatModel) -> None:
    model.warm_up([f"system {i}" for i in range(MAX_KEPT_PROMPTS + 3)])
    assert model._decoder is not None
    assert len(model._decoder._kept) == MAX_KEPT_PROMPTS
    assert len(say(model, ChatMessage(role="system", content="system 10"), user("a"), tokens=2)) == 2


def test_closing_twice_is_allowed_and_use_after_it_is_told(model: OnnxChatModel) -> None:
    stream = model.stream([user("a")], max_new_tokens=20)
    next(stream)
    model.close()
    model.close()
    with pytest.raises(ModelError, match="closed"):
        list(stream)


def test_program_ends_cleanly_in_the_middle_of_an_answer(onnx_folder: Path) -> None:
    script = f"""
        from pathlib import Path
        from models.llm.base import ChatMessage
        from models.llm.onnx_engine import OnnxChatModel
        model = OnnxChatModel.load(Path({str(onnx_folder)!r}), threads=2, context_tokens=4096)
        stream = model.stream([ChatMessage(role="user", content="a")], max_new_tokens=4000)
        next(stream)
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "name",
    ["model.onnx", "weights.bin", "embeddings.npy", "generation.json", "tokenizer.json", "chat_template.jinja"],
)
def test_absent_or_damaged_file_is_named(onnx_folder: Path, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "copy 副本"
    shutil.copytree(onnx_folder, folder)
    data = (folder / name).read_bytes()
    (folder / name).unlink()
    with pytest.raises(CheckpointError, match=name):
        load(folder)
    if name == "chat_template.jinja":
        return
    (folder / name).write_bytes(data[: len(data) // 2])
    with pytest.raises(CheckpointError) as caught:
        load(folder)
    assert "\n" not in str(caught.value)
    assert str(folder) in str(caught.value)
