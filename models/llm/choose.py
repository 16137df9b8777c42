"""Which engine and which weights: what the configuration names, or what the machine can carry.

Engines are imported when one is chosen: their libraries take seconds, and not each machine has all of them.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

import psutil

from models.errors import CheckpointError, ModelError
from models.llm.base import ChatModel
from models.llm.memory import fits_memory

LocalEngine: TypeAlias = Literal["onnxruntime", "ctranslate2", "transformers"]
ChatEngine: TypeAlias = Literal["auto", "onnxruntime", "ctranslate2", "transformers", "server"]
Device: TypeAlias = Literal["auto", "cpu", "cuda"]

AUTO: Final = "auto"
ONNX_FOLDER = "onnx"
"""Beside a fetched GGUF file lies its conversion."""
ONNX_GRAPH = "model.onnx"
ONNX_WEIGHTS = "weights.bin"
CT2_FOLDER = "ct2"
"""Where a conversion for CTranslate2 lies, if somebody made one."""
CT2_MODEL = "model.bin"
FACTS = "generation.json"
GGUF_SUFFIX = ".gguf"
SAFETENSORS = "*.safetensors"
MAX_AUTO_CPU_BYTES = 2_500_000_000
"""Of converted weights on a CPU unless asked for: every token reads them all, 20 GB/s give eight tokens a second."""
DEFAULT_THREADS = 8
"""At most, when the number is left to us: more do not speed up a stream of single tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatWeights:
    """Weights of one model that lie on this machine."""

    folder: Path
    """Of the checkpoint."""
    onnx: Path | None
    """Folder with ONNX Runtime weights."""
    ct2: Path | None
    """Folder with CTranslate2 weights."""
    torch: Path | None
    """Folder with safetensors, or a GGUF file."""
    num_bytes: int
    """Size of the first kind of these weights that is there."""


def load_chat_model(
    engine: ChatEngine = AUTO,
    model: str = AUTO,
    *,
    checkpoints: Path,
    device: Device = AUTO,
    threads: int = 0,
    context_tokens: int = 2048,
    server_url: str = "",
    server_key: str = "",
    states: Path | None = None,
) -> ChatModel:
    """Load the chat model.

    Args:
        engine: auto: ONNX Runtime without a GPU, transformers with one; else whatever has weights of its kind.
        model: Name of a folder in checkpoints, a folder or a GGUF file; for a server its name there. auto: the
            largest one that fits (on a CPU: that still answers fast), or the server's first.
        checkpoints: Folder of all weights.
        device: auto: CUDA where there is a GPU.
        threads: CPU threads; 0: as many as there are cores, at most 8.
        context_tokens: Prompt and answer together.
        server_url: Base address, for the engine "server".
        server_key: Its key, or empty.
        states: Folder in which an engine may keep what it computed of system prompts; None: nothing is written.

    Raises:
        ModelError: Nothing fits; says what to do.
    """
    if engine == "server":
        from models.llm.server_engine import ServerChatModel

        return ServerChatModel.load(server_url, model=model, key=server_key, context_tokens=context_tokens)
    on = _resolve_device(device)
    weights = _choose(checkpoints, on, engine) if model == AUTO else _find(checkpoints, model)
    threads = threads or min(psutil.cpu_count(logical=False) or 1, DEFAULT_THREADS)
    chosen = _resolve_engine(engine, on, weights)
    if chosen == "onnxruntime":
        if weights.onnx is None:
            files = f"{ONNX_GRAPH}, {ONNX_WEIGHTS}, {FACTS}"
            raise CheckpointError(weights.folder, f"holds no ONNX Runtime weights ({files})")
        from models.llm.onnx_engine import OnnxChatModel

        return OnnxChatModel.load(weights.onnx, threads=threads, context_tokens=context_tokens, states=states)
    if chosen == "ctranslate2":
        if weights.ct2 is None:
            raise CheckpointError(weights.folder, f"holds no CTranslate2 weights ({CT2_MODEL}, {FACTS})")
        from models.llm.ctranslate2_engine import CTranslate2ChatModel

        return CTranslate2ChatModel.load(weights.ct2, device=on, threads=threads, context_tokens=context_tokens)
    if weights.torch is None:
        raise CheckpointError(weights.folder, f"holds neither {SAFETENSORS} nor a GGUF file")
    from models.llm.transformers_engine import TransformersChatModel

    return TransformersChatModel.load(weights.torch, device=on, threads=threads, context_tokens=context_tokens)


def list_chat_weights(checkpoints: Path) -> list[ChatWeights]:
    """All chat models that were fetched, smallest first."""
    folders = sorted(path for path in checkpoints.glob("*") if path.is_dir())
    found = [weights for folder in folders if (weights := _look_into(folder)) is not None]
    return sorted(found, key=lambda weights: weights.num_bytes)


def _resolve_device(device: Device) -> Literal["cpu", "cuda"]:
    if device != AUTO:
        return device
    import ctranslate2

    return "cuda" if ctranslate2.get_cuda_device_count() > 0 else "cpu"


def _resolve_engine(engine: ChatEngine, device: Literal["cpu", "cuda"], weights: ChatWeights) -> LocalEngine:
    if engine == "onnxruntime" or engine == "ctranslate2" or engine == "transformers":
        return engine
    has_torch = importlib.util.find_spec("torch") is not None and importlib.util.find_spec("transformers") is not None
    if device == "cuda" and weights.torch is not None and has_torch:
        return "transformers"
    if weights.onnx is not None and (device == "cpu" or weights.ct2 is None):
        return "onnxruntime"
    return "ctranslate2" if weights.ct2 is not None else "transformers"


def _choose(checkpoints: Path, device: Literal["cpu", "cuda"], engine: ChatEngine) -> ChatWeights:
    usable = [
        weights
        for weights in list_chat_weights(checkpoints)
        if (engine != "onnxruntime" or weights.onnx is not None)
        and (engine != "ctranslate2" or weights.ct2 is not None)
        and (engine != "transformers" or weights.torch is not None)
    ]
    if not usable:
        raise CheckpointError(checkpoints, "holds no chat model")
    if device == "cuda":  # what does not fit the GPU is refused on loading, with figures
        return usable[-1]
    fast = [w for w in usable if w.num_bytes <= MAX_AUTO_CPU_BYTES and fits_memory(w.num_bytes)]
    return fast[-1] if fast else usable[0]


def _find(checkpoints: Path, model: str) -> ChatWeights:
    for path in (checkpoints / model, Path(model)):
        if path.suffix == GGUF_SUFFIX and path.is_file():
            return ChatWeights(folder=path.parent, onnx=None, ct2=None, torch=path, num_bytes=path.stat().st_size)
        weights = _look_into(path) if path.is_dir() else None
        if weights is not None:
            return weights
    known = ", ".join(weights.folder.name for weights in list_chat_weights(checkpoints)) or "none"
    raise ModelError(
        f"language_model.model: {model!r} is neither a chat model in {checkpoints} ({known}), nor a folder with one, "
        "nor a GGUF file"
    )


def _look_into(folder: Path) -> ChatWeights | None:
    onnx = next((f for f in (folder / ONNX_FOLDER, folder) if _has(f, ONNX_GRAPH, ONNX_WEIGHTS, FACTS)), None)
    ct2 = next((f for f in (folder / CT2_FOLDER, folder) if _has(f, CT2_MODEL, FACTS)), None)
    gguf = next(iter(sorted(folder.glob("*" + GGUF_SUFFIX))), None)
    is_torch = (folder / "config.json").is_file() and next(folder.glob(SAFETENSORS), None) is not None
    torch = folder if is_torch and _has_tokenizer(folder) else gguf
    if onnx is None and ct2 is None and torch is None:
        return None
    return ChatWeights(folder=folder, onnx=onnx, ct2=ct2, torch=torch, num_bytes=_size(onnx, ct2, torch))


def _size(onnx: Path | None, ct2: Path | None, torch: Path | None) -> int:
    if onnx is not None:
        return (onnx / ONNX_WEIGHTS).stat().st_size
    if ct2 is not None:
        return (ct2 / CT2_MODEL).stat().st_size
    assert torch is not None
    files = [torch] if torch.is_file() else torch.glob(SAFETENSORS)
    return sum(file.stat().st_size for file in files)


def _has(folder: Path, *names: str) -> bool:
    return all((folder / name).is_file() for name in names)


def _has_tokenizer(folder: Path) -> bool:
    return any((folder / name).is_file() for name in ("tokenizer.json", "tokenizer_config.json"))
