"""Chat models on transformers: any causal language model as safetensors or GGUF, on CUDA or the CPU.

torch and transformers are optional and imported when a model is loaded. The computation runs in the caller's thread.
"""

from __future__ import annotations

import copy
import inspect
import json
import logging
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from tokenizers import Tokenizer

from models.errors import CheckpointError, ModelError
from models.llm.base import ChatMessage
from models.llm.captured_decoding import CapturedDecoder
from models.llm.chat_format import ChatFormat, TextStream, room_for_answer, stop_ids
from models.llm.choose import GGUF_SUFFIX, SAFETENSORS
from models.llm.gguf_file import GgufFile
from models.llm.gguf_tokenizer import build_tokenizer, stop_token_ids, tokens_of
from models.llm.memory import require_memory
from models.types import ShouldStop, never_stop

log = logging.getLogger("llm")

PICKLES = ("*.bin", "*.pt", "*.pth")
CHOOSE_SAFE = "choose a folder with safetensors, or a GGUF file"
MAX_KEPT_PROMPTS = 8
"""States of system prompts that are kept; one of 500 tokens in a 1.5 B network takes 27 MiB as float32."""


@dataclass(frozen=True, slots=True)
class _Kept:
    """State of the network after a system prompt."""

    num_tokens: int
    cache: Any


class TransformersChatModel:
    """A causal language model of the Hugging Face kind. Always takes the likeliest token."""

    def __init__(
        self,
        torch: ModuleType,
        network: Any,
        decoder: CapturedDecoder | None,
        chat: ChatFormat,
        *,
        name: str,
        context_tokens: int,
        stops: Sequence[int],
    ) -> None:
        """Use `load`."""
        self.name = name
        self.context_tokens = context_tokens
        self._torch = torch
        self._network: Any | None = network
        self._decoder = decoder
        self._chat = chat
        self._stops = frozenset(stops)
        self._keeps = network.device.type == "cpu"
        self._kept: dict[str, _Kept] = {}
        self._cache_name = _cache_name(network)

    @classmethod
    def load(
        cls, path: Path, *, device: Literal["cpu", "cuda"], threads: int, context_tokens: int
    ) -> TransformersChatModel:
        """Read the weights.

        Args:
            path: A folder with config.json, tokenizer and *.safetensors, or a GGUF file, which is expanded.
            device: Where the network runs: bfloat16 (float16 on older GPUs) on CUDA, float32 on the CPU.
            threads: CPU threads for all of torch; 0 leaves torch's own choice.
            context_tokens: Prompt and answer together; the network's own limit counts too.

        Raises:
            ModelError: torch or transformers are not installed, or there is no CUDA device.
            CheckpointError: The files are absent, damaged, pickled, without chat template, or do not fit into memory.
        """
        torch, transformers = _import_torch()
        if device == "cuda" and not torch.cuda.is_available():
            raise ModelError('torch finds no CUDA device; set compute.device to "cpu" or install the driver')
        if threads > 0:
            torch.set_num_threads(threads)
        dtype = _dtype(torch, device)
        is_gguf = path.suffix == GGUF_SUFFIX
        parameters = _gguf_parameters(path) if is_gguf else _safetensors_parameters(path)
        need = parameters * dtype.itemsize
        log.info("%s: %d M parameters need %d MiB as %s", path, parameters // 10**6, need >> 20, dtype)
        require_memory(path, need, torch.cuda.mem_get_info()[0] if device == "cuda" else None)
        try:
            chat, named = _gguf_chat(path) if is_gguf else _folder_chat(transformers, path)
            network = _read_network(transformers, path, dtype, device)
        except (OSError, ValueError, KeyError, RuntimeError) as error:
            if isinstance(error, ModelError):
                raise
            raise CheckpointError(path, f"cannot be loaded ({_one_line(error)})", CHOOSE_SAFE) from error
        network.eval()
        for source in (network.generation_config, network.config):
            named |= _as_ids(getattr(source, "eos_token_id", None))
        limit = getattr(network.config, "max_position_embeddings", None) or context_tokens
        context_tokens = min(context_tokens, limit)
        return cls(
            torch,
            network,
            _capture(torch, transformers, network, context_tokens) if device == "cuda" else None,
            chat,
            name=f"{path.parent.name if is_gguf else path.name}, {str(dtype).removeprefix('torch.')}",
            context_tokens=context_tokens,
            stops=stop_ids(chat, named),
        )

    def warm_up(self, systems: Sequence[str] = ()) -> None:
        """See `ChatModel.warm_up`; keeps up to `MAX_KEPT_PROMPTS` states on a CPU.

        On a GPU, computing 400 tokens again takes 20 ms with 8 B parameters: no longer than copying a kept state.
        """
        for system in systems or ("",):
            opening = [ChatMessage(role="system", content=system)] if system else []
            messages = [*opening, ChatMessage(role="user", content="?")]
            prefix = self._chat.system_prefix(messages)
            if self._keeps and prefix and len(self._kept) < MAX_KEPT_PROMPTS and system not in self._kept:
                _, cache = self._forward(prefix, None)
                self._kept[system] = _Kept(len(prefix), cache)
            for _ in self.stream(messages, max_new_tokens=2):
                pass

    def count_tokens(self, messages: Sequence[ChatMessage]) -> int:
        """See `ChatModel.count_tokens`."""
        return len(self._chat.encode(messages))

    def stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        max_new_tokens: int,
        likely: Sequence[str] = (),
        should_stop: ShouldStop = never_stop,
    ) -> Iterator[str]:
        """See `ChatModel.stream`."""
        ids, opening = self._chat.encode(messages), self._chat.answer_opening(messages)
        room = room_for_answer(len(ids), self.context_tokens, max_new_tokens)
        kept = self._kept.get(messages[0].content) if messages[0].role == "system" else None
        # A copy: what a visitor says never enters the kept state, and is gone with this call.
        cache = copy.deepcopy(kept.cache) if kept else None
        todo = ids[kept.num_tokens :] if kept else ids
        text = TextStream(self._chat.decode)
        if opening:
            yield opening
        try:
            for number in range(room):
                if should_stop():
                    return
                if number == 0 or self._decoder is None:
                    chosen, cache = self._forward(todo, cache)
                    if self._decoder is not None:
                        self._decoder.begin(chosen, cache)
                else:
                    chosen = self._decoder.next_token()
                if chosen in self._stops:
                    return
                piece = text.push(chosen)
                if piece:
                    yield piece
                todo = [chosen]
        finally:
            if self._decoder is not None:
                self._decoder.clear()

    def close(self) -> None:
        """See `ChatModel.close`."""
        if self._network is None:
            return
        on_cuda = self._network.device.type == "cuda"
        self._network = self._decoder = None
        self._kept.clear()
        if on_cuda:
            self._torch.cuda.empty_cache()

    def _forward(self, ids: Sequence[int], cache: Any | None) -> tuple[int, Any]:
        """Feed some ids; return the likeliest next one and the state."""
        if self._network is None:
            raise ModelError("the language model has been closed; load it again")
        # Entered per step: a mode kept across a yield would leak into the caller.
        with self._torch.inference_mode():
            tensor = self._torch.tensor([ids], device=self._network.device)
            try:
                result = self._network(
                    input_ids=tensor, use_cache=True, logits_to_keep=1, **{self._cache_name: cache}
                )
            except self._torch.OutOfMemoryError as error:
                raise ModelError("the language model ran out of GPU memory; choose a smaller one") from error
            return int(result.logits[0, -1].argmax()), getattr(result, self._cache_name)


def _import_torch() -> tuple[ModuleType, ModuleType]:
    os.environ.setdefault("HF_HUB_OFFLINE", "1")  # read by the library when it is imported
    try:
        import torch
        import transformers
    except ImportError as error:
        raise ModelError(
            f"the engine `transformers` needs the package {error.name}; install with `pip install lobby-kiosk[torch]`"
        ) from error
    transformers.utils.logging.disable_progress_bar()
    return torch, transformers


def _dtype(torch: ModuleType, device: str) -> Any:
    if device == "cpu":
        return torch.float32
    return torch.bfloat16 if torch.cuda.is_bf16_supported(including_emulation=False) else torch.float16


def _read_network(transformers: ModuleType, path: Path, dtype: Any, device: str) -> Any:
    options: dict[str, Any] = {"dtype": dtype, "local_files_only": True, "trust_remote_code": False}
    if path.suffix == GGUF_SUFFIX:
        options["gguf_file"] = path.name
        if hasattr(transformers, "GgufConfig"):  # releases without it always expand
            options["quantization_config"] = transformers.GgufConfig(dequantize=True)
        folder = path.parent
    else:
        options["use_safetensors"] = True
        folder = path
    network = transformers.AutoModelForCausalLM.from_pretrained(str(folder), **options)
    return network.to(device)


def _cache_name(network: Any) -> str:
    """The state's name among the arguments: it changed in release 5.24."""
    return "cache" if "cache" in inspect.signature(network.forward).parameters else "past_key_values"


def _capture(
    torch: ModuleType, transformers: ModuleType, network: Any, context_tokens: int
) -> CapturedDecoder | None:
    try:
        return CapturedDecoder(
            torch, transformers, network, cache_name=_cache_name(network), context_tokens=context_tokens
        )
    except (RuntimeError, TypeError, ValueError, AttributeError) as error:  # an architecture of another kind
        log.warning("decoding stays slow, its step cannot be captured: %s", _one_line(error))
        return None


def _gguf_parameters(path: Path) -> int:
    file = GgufFile(path)
    total = 0
    for name in file.tensor_names:
        size = 1
        for n in file.shape(name):
            size *= n
        total += size
    return total


def _safetensors_parameters(folder: Path) -> int:
    """Count from the headers alone: eight bytes of length, then JSON with each tensor's shape."""
    files = sorted(folder.glob(SAFETENSORS))
    if not files:
        if any(next(folder.glob(pattern), None) for pattern in PICKLES):
            raise CheckpointError(folder, "holds only pickled weights, which could run code when read", CHOOSE_SAFE)
        raise CheckpointError(folder, f"holds no {SAFETENSORS}", CHOOSE_SAFE)
    total = 0
    for file in files:
        try:
            with file.open("rb") as stream:
                length = int.from_bytes(stream.read(8), "little")
                if length > file.stat().st_size:
                    raise ValueError("header longer than the file")
                header = json.loads(stream.read(length))
            for name, tensor in header.items():
                size = int(name != "__metadata__")
                for n in tensor.get("shape", ()):
                    size *= n
                total += size
        except (OSError, ValueError, AttributeError) as error:
            raise CheckpointError(file, f"is damaged ({_one_line(error)})") from error
    return total


def _folder_chat(transformers: ModuleType, folder: Path) -> tuple[ChatFormat, set[int]]:
    tokenizer = transformers.AutoTokenizer.from_pretrained(
        str(folder), local_files_only=True, trust_remote_code=False
    )
    if not tokenizer.chat_template:
        raise CheckpointError(folder, "has no chat template", "choose a model trained for chat (…-Instruct)")
    backend: Tokenizer = tokenizer.backend_tokenizer
    chat = ChatFormat(
        backend, tokenizer.chat_template, bos_token=tokenizer.bos_token or "", eos_token=tokenizer.eos_token or ""
    )
    return chat, _as_ids(tokenizer.eos_token_id)


def _gguf_chat(path: Path) -> tuple[ChatFormat, set[int]]:
    file = GgufFile(path)
    tokens = tokens_of(file)
    eos = file.value("tokenizer.ggml.eos_token_id", -1)
    bos = file.value("tokenizer.ggml.bos_token_id", -1)
    chat = ChatFormat(
        build_tokenizer(file),
        file.required("tokenizer.chat_template", str),
        bos_token=tokens[bos] if bos >= 0 else "",
        eos_token=tokens[eos] if eos >= 0 else "",
    )
    return chat, set(stop_token_ids(file))


def _as_ids(value: int | Sequence[int] | None) -> set[int]:
    if value is None:
        return set()
    return {value} if isinstance(value, int) else set(value)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:160]
