"""A language model of a few lines behind the OpenAI interface: for soaks that are about everything else.

`python -m tests.lobby.scripted_model PORT SECONDS` runs it as a process of its own that can be killed and stopped;
SECONDS is the time between two pieces of an answer.
"""

from __future__ import annotations

import json
import re
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType

from kiosk.profile import load_profile
from models.types import Language
from tests.lobby.questions import QUESTIONS
from tests.lobby.visitors import holds

PIECE_S = 0.02
"""Between two pieces of an answer."""
LONG_QUESTION: dict[Language, str] = {
    "zh": "请介绍一下你们所有的业务。",
    "en": "Please tell me about all your services.",
}
_LONG_WORDS: dict[Language, str] = {"zh": "所有|业务|介绍", "en": "all your services|services"}
_ANSWERS = {
    "你们周六开门吗？": "10点到3点。",
    "开户需要带什么证件？": "身份证。",
    "跨行转账手续费是多少？": "2元。",
    "请问厕所在哪里？": "在左边。",
    "贷款找谁办理？": "3号柜台。",
    "What time do you open on Monday?": "At 9 am.",
    "Are you open on Saturday?": "From 10 to 3.",
    "What do I need to open an account?": "Your ID card.",
    "How much is the transfer fee?": "2 yuan.",
    "Where is the toilet?": "On the left.",
}
"""Short, so that a soak is not about waiting."""
_CLAUSE_ENDS = re.compile(r"[，。？！,.?!]")
_UNKNOWN: dict[Language, str] = {"zh": "我不知道。", "en": "I don't know."}


class ScriptedModel:
    """The server; a context manager. `config` is what the kiosk's configuration needs."""

    def __enter__(self) -> ScriptedModel:
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, name="scripted model"
        )
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def config(self) -> str:
        """A table of the configuration file."""
        address = f"http://127.0.0.1:{self._server.server_port}/v1"
        return f'[language_model]\nengine = "server"\nserver_url = "{address}"\n'


def answer_to(question: str) -> str:
    """The fact that is asked for, of several the last; all facts in a sentence; or that it is not known."""
    language: Language = "zh" if any("\u4e00" <= c <= "\u9fff" for c in question) else "en"
    for part in (*reversed(_CLAUSE_ENDS.split(question)), question):
        for known in QUESTIONS:
            if known.language == language and holds(known.heard, part, language):
                return _ANSWERS[known.text]
    if holds(_LONG_WORDS[language], question, language):
        joint, end = ("，", "。") if language == "zh" else (", ", ".")
        facts = load_profile("bank").text(language).facts
        return joint.join(fact.rstrip("。.") for fact in facts) + end
    return _UNKNOWN[language]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    piece_s = PIECE_S


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps({"data": [{"id": "script"}]}).encode())

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = answer_to(body["messages"][-1]["content"])
        self.send_response(200)
        self.end_headers()
        try:
            for start in range(0, len(answer), 4):
                delta = {"choices": [{"delta": {"content": answer[start : start + 4]}}]}
                self.wfile.write(f"data: {json.dumps(delta)}\n\n".encode())
                self.wfile.flush()
                time.sleep(self.server.piece_s)
            self.wfile.write(b"data: [DONE]\n\n")
        except OSError:
            pass  # the kiosk hung up: the turn was interrupted

    def log_message(self, format: str, *args: object) -> None:
        pass


if __name__ == "__main__":
    _own = _Server(("127.0.0.1", int(sys.argv[1])), _Handler)
    _own.piece_s = float(sys.argv[2])
    _own.serve_forever()
