from __future__ import annotations

import gc
import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import models.llm.transformers_engine as engine
from models.errors import CheckpointError, ModelError, ModelInputError
from models.llm.base import ChatMessage
from models.llm.transformers_engine import TransformersChatModel

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

SYSTEM = ChatMessage(role="system", content="我们周一到周五上午9点开门。" * 8)
ENGLISH = ChatMessage(role="system", content="On Sunday we are closed. " * 8)


def load(path: Path, device: Any = "cpu", context_tokens: int = 2048) -> TransformersChatModel:
    return TransformersChatModel.load(path, device=device, threads=1, context_tokens=context_tokens)


@pytest.fixture
def model(torch_folder: Path) -> Iterator[TransformersChatModel]:
    model = load(torch_folder)
    yield model
    model.close()


def say(model: TransformersChatModel, *messages: ChatMessage, tokens: int = 24) -> str:
    return "".join(model.stream(messages, max_new_tokens=tokens))


def user(text: str) -> ChatMessage:
    return ChatMessage(role="user", content=text)


def reference(folder: Path, model: TransformersChatModel, *messages: ChatMessage, tokens: int = 24) -> str:
    """The library's own greedy generation from scratch."""
    network = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    ids = torch.tensor([model._chat.encode(messages)])
    made = network.generate(
        ids,
        attention_mask=torch.ones_like(ids),
        max_new_tokens=tokens,
        do_sample=False,
        eos_token_id=sorted(model._stops),
        pad_token_id=0,
    )
    return model._chat.decode(made[0, ids.shape[1] :].tolist()).replace("\N{REPLACEMENT CHARACTER}", "")


def test_answers_equal_the_librarys_own_generation(torch_folder: Path, model: TransformersChatModel) -> None:  # ST-16
    model.warm_up([SYSTEM.content, ENGLISH.content])
    for prompt in ((SYSTEM, user("a" * 300)), (SYSTEM, user("b")), (user("c" * 900),), (ENGLISH, user("d"))):
        answer = say(model, *prompt)
        assert len(answer) == 24
        assert answer == reference(torch_folder, model, *prompt)


def test_grad_mode_of_the_caller_is_left_alone(model: TransformersChatModel) -> None:
    stream = model.stream([user("a")], max_new_tokens=40)
    next(stream)
    assert torch.is_grad_enabled()
    assert not torch.is_inference_mode_enabled()


def test_stop_is_asked_before_each_step(model: TransformersChatModel) -> None:
    asked: list[bool] = []

    def should_stop() -> bool:
        asked.append(len(asked) >= 3)
        return asked[-1]

    list(model.stream([user("a")], max_new_tokens=100, should_stop=should_stop))
    assert asked == [False, False, False, True]


def test_prompt_longer_than_the_context_is_refused(torch_folder: Path) -> None:
    with pytest.raises(ModelInputError, match="context 64"):
        say(load(torch_folder, context_tokens=64), user("x" * 100))


def test_use_after_closing_is_told(torch_folder: Path) -> None:
    model = load(torch_folder)
    model.close()
    model.close()
    with pytest.raises(ModelError, match="closed"):
        say(model, user("a"))


def test_pickled_weights_are_refused(torch_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "pickled"
    shutil.copytree(torch_folder, folder)
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(b"never read")
    with pytest.raises(CheckpointError, match=r"pickled.*safetensors, or a GGUF file"):
        load(folder)


def test_ST_18_needed_memory_is_known_before_loading(torch_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    network = transformers.AutoModelForCausalLM.from_pretrained(torch_folder)
    assert engine._safetensors_parameters(torch_folder) == sum(p.numel() for p in network.parameters())
    monkeypatch.setattr("models.llm.memory.psutil.virtual_memory", lambda: type("Memory", (), {"available": 1 << 20}))
    monkeypatch.setattr(engine, "_read_network", lambda *_: pytest.fail("loaded although it does not fit"))
    with pytest.raises(CheckpointError, match=r"needs 0\.2 GiB of memory, 0\.0 GiB are free; choose a smaller model"):
        load(torch_folder)


def test_checkpoint_without_chat_template_is_refused(torch_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "base"
    shutil.copytree(torch_folder, folder)
    settings = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
    del settings["chat_template"]
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
    with pytest.raises(CheckpointError, match="chat template"):
        load(folder)


@pytest.mark.parametrize("damage", [b"", b"\xff" * 64, b'\x10\x00\x00\x00\x00\x00\x00\x00{"a": 1}       '])
def test_damaged_weights_are_one_line(torch_folder: Path, tmp_path: Path, damage: bytes) -> None:
    folder = tmp_path / "damaged"
    shutil.copytree(torch_folder, folder)
    (folder / "model.safetensors").write_bytes(damage)
    with pytest.raises(CheckpointError) as caught:
        load(folder)
    assert "\n" not in str(caught.value)


def test_missing_torch_says_what_to_install(torch_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ModelError, match=r"needs the package torch; install with `pip install lobby-kiosk\[torch\]`"):
        load(torch_folder)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_captured_steps_give_the_answers_of_plain_ones(torch_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_dtype", lambda torch, device: torch.float32)  # exact, so that words can be compared
    model = load(torch_folder, device="cuda")
    model.warm_up([SYSTEM.content, ENGLISH.content])
    prompts = [(SYSTEM, user("a")), (user("c" * 900),), (ENGLISH, user("d" * 60)), (SYSTEM, user("a"))]  # ST-16
    captured = [say(model, *prompt, tokens=60) for prompt in prompts]
    assert model._decoder is not None
    model._decoder = None
    assert captured == [say(model, *prompt, tokens=60) for prompt in prompts]
    assert len(set(captured)) == 3
    model.close()


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_memory_on_cuda_is_back_after_many_turns(torch_folder: Path) -> None:
    model = load(torch_folder, device="cuda")
    model.warm_up([SYSTEM.content])
    say(model, SYSTEM, user("几点开门？"))
    before = torch.cuda.memory_allocated()
    for turn in range(50):
        say(model, SYSTEM, user("几点开门？" * (turn % 7)))
    assert torch.cuda.memory_allocated() == before
    model.close()
    gc.collect()
    assert torch.cuda.memory_allocated() < before


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_nothing_of_a_conversation_stays_on_the_gpu(torch_folder: Path) -> None:  # LR-13
    model = load(torch_folder, device="cuda")
    say(model, user("我叫王芳，卡号1234。"))
    assert model._decoder is not None
    assert all(not layer.keys.any() and not layer.values.any() for layer in model._decoder._cache.layers)
    model.close()
