from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from models.errors import ModelError, ModelInputError
from models.llm.base import ChatMessage
from models.llm.server_engine import ServerChatModel

QUESTION = [ChatMessage(role="system", content="事实"), ChatMessage(role="user", content="几点开门？")]


class Service(ThreadingHTTPServer):
    """A small server that speaks the interface and remembers what it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.lines: list[str] = [delta("我们"), delta("9点"), delta("开门。"), "data: [DONE]"]
        self.requests: list[dict[str, Any]] = []
        self.status = 200
        self.hold = threading.Event()
        self.holds_after: int | None = None
        self.hung_up = threading.Event()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Service

    def do_GET(self) -> None:
        body = json.dumps({"data": [{"id": "house-model"}]} if self.path == "/v1/models" else {}).encode()
        self.send_response(self.server.status)
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append({"path": self.path, "key": self.headers["Authorization"], **body})
        self.send_response(self.server.status)
        self.end_headers()
        try:
            for number, line in enumerate(self.server.lines):
                if number == self.server.holds_after:
                    self.server.hold.wait(10)
                self.wfile.write(f"{line}\n\n".encode())
                self.wfile.flush()
        except OSError:
            self.server.hung_up.set()

    def log_message(self, format: str, *args: object) -> None:
        pass


def delta(text: str) -> str:
    return "data: " + json.dumps({"choices": [{"delta": {"content": text}}]}, ensure_ascii=False)


@pytest.fixture
def service() -> Iterator[Service]:
    service = Service()
    thread = threading.Thread(target=service.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield service
    service.hold.set()
    service.shutdown()
    service.server_close()
    thread.join()


def load(service: Service, **options: Any) -> ServerChatModel:
    return ServerChatModel.load(service.address, context_tokens=2048, **options)


def test_streams_the_deltas(service: Service) -> None:
    model = load(service, key="secret")
    assert list(model.stream(QUESTION, max_new_tokens=32)) == ["我们", "9点", "开门。"]
    (request,) = service.requests
    assert request["path"] == "/v1/chat/completions"
    assert request["model"] == "house-model"
    assert request["key"] == "Bearer secret"
    assert request["messages"][1] == {"role": "user", "content": "几点开门？"}
    assert (request["stream"], request["max_tokens"], request["temperature"]) == (True, 32, 0)
    assert "house-model" in model.name
    model.close()


def test_keep_alives_and_empty_deltas_are_passed_over(service: Service) -> None:
    service.lines = [
        ": keep-alive",
        'data: {"choices": [{"delta": {"role": "assistant", "content": null}}]}',
        'data: {"choices": [{"delta": {"reasoning_content": "hm"}}]}',
        delta("好"),
        'data: {"choices": [], "usage": {}}',
        "data: [DONE]",
        delta("never"),
    ]
    assert "".join(load(service).stream(QUESTION, max_new_tokens=8)) == "好"


def test_an_answer_that_breaks_off_is_an_error_after_what_has_come(service: Service) -> None:
    service.lines = service.lines[:2]  # the server dies: the connection just ends
    stream = load(service).stream(QUESTION, max_new_tokens=8)
    assert [next(stream), next(stream)] == ["我们", "9点"]
    with pytest.raises(ModelError, match="broke off in the middle"):
        next(stream)


def test_a_reason_to_finish_ends_an_answer_too(service: Service) -> None:
    service.lines[3] = 'data: {"choices": [{"delta": {}, "finish_reason": "stop"}]}'
    assert "".join(load(service).stream(QUESTION, max_new_tokens=8)) == "我们9点开门。"


def test_warm_up_sends_each_system_prompt(service: Service) -> None:
    load(service, model="m").warm_up(["一", "two"])
    assert [request["messages"][0]["content"] for request in service.requests] == ["一", "two"]
    assert all(request["max_tokens"] == 1 for request in service.requests)


def test_stopping_hangs_up(service: Service) -> None:
    service.lines = [delta("字" * 2000)] * 5000
    pieces = []
    for piece in load(service).stream(QUESTION, max_new_tokens=8, should_stop=lambda: len(pieces) >= 2):
        pieces.append(piece)
    assert len(pieces) == 2
    assert service.hung_up.wait(10)


def test_silent_server_is_given_up(service: Service) -> None:
    service.holds_after = 1
    with pytest.raises(ModelError, match=r"took too long \(ReadTimeout\)"):
        list(load(service, read_timeout_s=0.2).stream(QUESTION, max_new_tokens=8))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["data: {broken"], "does not speak the OpenAI chat interface"),
        (['data: {"choices": 5}'], "does not speak the OpenAI chat interface"),
        (["data: []"], "does not speak the OpenAI chat interface"),
        (['data: {"error": {"message": "out of\\nmemory"}}'], "failed: out of memory"),
    ],
)
def test_wrong_answers_are_one_line(service: Service, lines: list[str], message: str) -> None:
    service.lines = lines
    with pytest.raises(ModelError, match=message) as caught:
        list(load(service).stream(QUESTION, max_new_tokens=8))
    assert "\n" not in str(caught.value)


def test_refused_key_is_told(service: Service) -> None:
    model = load(service)
    service.status, service.lines = 401, ["no\nentry"]
    with pytest.raises(ModelError, match=r"answered 401 \(no entry\); check language_model.server_key"):
        list(model.stream(QUESTION, max_new_tokens=8))


def test_server_that_is_off_is_told() -> None:
    gone = Service()
    gone.server_close()
    with pytest.raises(ModelError, match=r"does not answer \(ConnectError\); check that it runs"):
        load(gone)


def test_counts_rather_too_much_than_too_little(service: Service) -> None:
    model = load(service)
    assert model.count_tokens([ChatMessage(role="user", content="几点开门？")]) >= 5
    assert model.count_tokens([ChatMessage(role="user", content="What time do you open today?")]) >= 7
    with pytest.raises(ModelInputError):
        list(model.stream([ChatMessage(role="user", content="长" * 3000)], max_new_tokens=8))
