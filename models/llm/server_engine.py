"""Chat models behind an OpenAI-compatible server in the building; used only when the operator sets it up."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Sequence
from typing import Any

import httpx

from models.errors import ModelError, ModelInputError
from models.llm.base import ChatMessage
from models.types import ShouldStop, never_stop

log = logging.getLogger("llm")

CONNECT_TIMEOUT_S = 3.0
"""A server in the building answers at once or is off."""
READ_TIMEOUT_S = 20.0
"""The longest wait for the next piece; a loaded server may queue the first one."""
DATA = "data:"
DONE = "[DONE]"
MESSAGE_TOKENS = 8
"""What a chat template adds to each message, roughly."""
LATIN_CHARACTERS_PER_TOKEN = 3.0
"""Low, so that a length is rather over- than underestimated; other characters count one token each."""


class ServerChatModel:
    """A chat model that another machine runs."""

    def __init__(self, client: httpx.Client, model: str, *, address: str, context_tokens: int) -> None:
        """Use `load`."""
        self.name = f"{model} at {address}"
        self.context_tokens = context_tokens
        self._client = client
        self._model = model
        self._address = address

    @classmethod
    def load(
        cls,
        address: str,
        *,
        model: str = "auto",
        key: str = "",
        context_tokens: int,
        read_timeout_s: float = READ_TIMEOUT_S,
    ) -> ServerChatModel:
        """Connect and find the model.

        Args:
            address: Base of the interface, such as http://host:8000/v1.
            model: As the server names it; auto: the first that it lists.
            key: Sent as a bearer token; empty for none.
            context_tokens: Prompt and answer together, as the server was set up.
            read_timeout_s: The longest wait for the next piece.

        Raises:
            ModelError: The server does not answer, refuses the key or has no model.
        """
        address = address.rstrip("/")
        client = httpx.Client(
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=httpx.Timeout(read_timeout_s, connect=CONNECT_TIMEOUT_S),
            trust_env=False,  # no proxy: the server stands in the building
        )
        try:
            if model == "auto":
                model = _first_model(client, address)
        except BaseException:
            client.close()
            raise
        return cls(client, model, address=address, context_tokens=context_tokens)

    def warm_up(self, systems: Sequence[str] = ()) -> None:
        """See `ChatModel.warm_up`: one token per system prompt, so that a server with a prefix cache fills it."""
        for system in systems or ("",):
            opening = [ChatMessage(role="system", content=system)] if system else []
            for _ in self.stream([*opening, ChatMessage(role="user", content="?")], max_new_tokens=1):
                pass

    def count_tokens(self, messages: Sequence[ChatMessage]) -> int:
        """See `ChatModel.count_tokens`; an estimate on the safe side, the tokenizer stays with the server."""
        return sum(MESSAGE_TOKENS + _estimate(message.content) for message in messages)

    def stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        max_new_tokens: int,
        likely: Sequence[str] = (),
        should_stop: ShouldStop = never_stop,
    ) -> Iterator[str]:
        """See `ChatModel.stream`. Closing the iterator closes the connection, which ends the server's work."""
        num_tokens = self.count_tokens(messages)
        if num_tokens >= self.context_tokens:
            raise ModelInputError(f"the prompt has about {num_tokens} tokens, the context {self.context_tokens}")
        body = {
            "model": self._model,
            "messages": [{"role": message.role, "content": message.content} for message in messages],
            "max_tokens": max_new_tokens,
            "temperature": 0,
            "stream": True,
        }
        is_complete = False
        try:
            with self._client.stream("POST", f"{self._address}/chat/completions", json=body) as response:
                if response.status_code != httpx.codes.OK:
                    response.read()
                    raise _refusal(self._address, response)
                for line in response.iter_lines():
                    if should_stop():
                        return
                    data = line.removeprefix(DATA).strip()
                    if not line.startswith(DATA) or not data:
                        continue
                    if data == DONE:
                        return
                    piece, is_last = self._piece(data)
                    is_complete |= is_last
                    if piece:
                        yield piece
        except httpx.HTTPError as error:
            raise _unreachable(self._address, error) from error
        if not is_complete:  # a server that died: the connection ends as if all had been said
            raise ModelError(
                f"the language model server at {self._address} broke off in the middle of an answer; is it running?"
            )

    def close(self) -> None:
        """See `ChatModel.close`."""
        self._client.close()

    def _piece(self, data: str) -> tuple[str, bool]:
        """The text of one line, and whether it is the last."""
        try:
            chunk = json.loads(data)
            if "error" in chunk:
                raise ModelError(f"the language model server at {self._address} failed: {_short(chunk['error'])}")
            choices = chunk.get("choices") or [{}]
            content = (choices[0].get("delta") or {}).get("content") or ""
            is_last = bool(choices[0].get("finish_reason"))
        except (ValueError, AttributeError, TypeError, IndexError, KeyError) as error:
            raise _not_compatible(self._address) from error
        return str(content), is_last


def _first_model(client: httpx.Client, address: str) -> str:
    try:
        response = client.get(f"{address}/models")
    except httpx.HTTPError as error:
        raise _unreachable(address, error) from error
    if response.status_code != httpx.codes.OK:
        raise _refusal(address, response)
    try:
        return str(response.json()["data"][0]["id"])
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise ModelError(
            f"the server at {address} lists no model; name one in language_model.model of the configuration"
        ) from error


def _estimate(text: str) -> int:
    latin = sum(1 for character in text if ord(character) < 0x250)
    return len(text) - latin + int(latin / LATIN_CHARACTERS_PER_TOKEN) + 1


def _unreachable(address: str, error: httpx.HTTPError) -> ModelError:
    what = "took too long" if isinstance(error, httpx.TimeoutException) else "does not answer"
    return ModelError(
        f"the language model server at {address} {what} ({type(error).__name__}); "
        "check that it runs and language_model.server_url"
    )


def _refusal(address: str, response: httpx.Response) -> ModelError:
    remedy = "check language_model.server_key" if response.status_code in (401, 403) else "check the server's log"
    return ModelError(
        f"the language model server at {address} answered {response.status_code} ({_short(response.text)}); {remedy}"
    )


def _not_compatible(address: str) -> ModelError:
    return ModelError(
        f"the server at {address} does not speak the OpenAI chat interface; check language_model.server_url"
    )


def _short(value: Any) -> str:
    text = value.get("message", value) if isinstance(value, dict) else value
    return " ".join(str(text).split())[:120]
