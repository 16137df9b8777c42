from __future__ import annotations

import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from models.errors import CheckpointError, ModelError, ModelInputError
from models.llm.base import ChatMessage
from models.llm.ctranslate2_engine import MAX_KEPT_PROMPTS, CTranslate2ChatModel

ROOT = Path(__file__).resolve().parents[2]
SYSTEM = ChatMessage(role="system", content="我们周一到周五上午9点开门。" * 8)
ENGLISH = ChatMessage(role="system", content="On Sunday we are closed. " * 8)


def load(folder: Path, context_tokens: int = 2048) -> CTranslate2ChatModel:
    return CTranslate2ChatModel.load(folder, device="cpu", threads=1, context_tokens=context_tokens)


@pytest.fixture
def model(ct2_folder: Path) -> Iterator[CTranslate2ChatModel]:
    model = load(ct2_folder)
    yield model
    model.close()


def say(model: CTranslate2ChatModel, *messages: ChatMessage, tokens: int = 24) -> str:
    return "".join(model.stream(messages, max_new_tokens=tokens))


def unread(model: CTranslate2ChatModel) -> int:
    """Tokens that were computed but not passed on."""
    run = model._network._run
    assert run is not None
    assert run._watcher is not None
    assert not run._watcher.is_alive()
    return run._ids.qsize()


def user(text: str) -> ChatMessage:
    return ChatMessage(role="user", content=text)


def test_answers_without_special_tokens(model: CTranslate2ChatModel) -> None:
    for question in ("几点开门？", "When?", "😊"):
        text = say(model, SYSTEM, user(question))
        assert "<|" not in text
        assert "\N{REPLACEMENT CHARACTER}" not in text


def test_ST_16_kept_prompts_change_no_answer(ct2_folder: Path) -> None:
    plain, keeping = load(ct2_folder), load(ct2_folder)
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
    try:
        answers = [say(keeping, *prompt) for prompt in prompts]
        assert answers == [say(plain, *prompt) for prompt in prompts]
        assert {len(answer) for answer in answers} == {24}
        assert len(set(answers)) == len(prompts) - 1  # two are the same
    finally:
        plain.close()
        keeping.close()


def test_kept_prompts_are_limited(model: CTranslate2ChatModel) -> None:
    model.warm_up([f"system {i}" for i in range(MAX_KEPT_PROMPTS + 3)])
    assert say(model, ChatMessage(role="system", content="system 10"), user("a"), tokens=2) is not None
    assert len(model._kept) == MAX_KEPT_PROMPTS


def test_stops_at_the_limit_of_tokens(model: CTranslate2ChatModel) -> None:
    assert len(say(model, user("count"), tokens=5)) == 5


def test_stop_ends_the_computation_soon(model: CTranslate2ChatModel) -> None:
    asked = 0

    def should_stop() -> bool:
        nonlocal asked
        asked += 1
        return asked > 6

    text = "".join(model.stream([user("go on")], max_new_tokens=2000, should_stop=should_stop))
    assert len(text) <= 8
    assert unread(model) < 1000


def test_closing_the_iterator_ends_the_computation(model: CTranslate2ChatModel) -> None:
    stream = model.stream([user("go on")], max_new_tokens=2000)
    next(stream)
    stream.close()  # type: ignore[attr-defined]
    assert unread(model) < 1000  # of 2000
    assert say(model, user("again"), tokens=4) is not None


def test_prompt_longer_than_the_context_is_refused(ct2_folder: Path) -> None:
    model = load(ct2_folder, context_tokens=64)
    with pytest.raises(ModelInputError, match="context 64"):
        say(model, user("x" * 100))
    model.close()


def test_counts_the_whole_prompt(model: CTranslate2ChatModel) -> None:
    # byte tokens: "<|im_start|>user\nab<|im_end|>\n<|im_start|>assistant\n"
    assert model.count_tokens([user("ab")]) == 1 + len("user\nab") + 1 + 1 + 1 + len("assistant\n")


def test_closing_twice_is_allowed_and_use_after_it_is_told(ct2_folder: Path) -> None:
    model = load(ct2_folder)
    model.close()
    model.close()
    with pytest.raises(ModelError, match="closed"):
        say(model, user("a"))


@pytest.mark.parametrize("name", ["model.bin", "generation.json", "tokenizer.json", "chat_template.jinja"])
def test_absent_or_damaged_file_is_named(ct2_folder: Path, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(ct2_folder, folder)
    (folder / name).unlink()
    with pytest.raises(CheckpointError, match=name):
        load(folder)
    if name != "chat_template.jinja":
        (folder / name).write_bytes(b"\xff\xfe garbage")
        with pytest.raises(CheckpointError) as caught:
            load(folder)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("ending", ["", "model.close()"])
def test_program_ends_cleanly_in_the_middle_of_an_answer(ct2_folder: Path, ending: str) -> None:
    script = f"""
        from pathlib import Path
        from models.llm.base import ChatMessage
        from models.llm.ctranslate2_engine import CTranslate2ChatModel
        model = CTranslate2ChatModel.load(Path({str(ct2_folder)!r}), device="cpu", threads=1, context_tokens=4096)
        stream = model.stream([ChatMessage(role="user", content="a")], max_new_tokens=4000)
        next(stream)
        {ending}
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
