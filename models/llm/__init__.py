"""Chat models: one interface (`base`), three engines, one way to choose among them."""

from models.llm.choose import ChatEngine, load_chat_model

__all__ = ["ChatEngine", "load_chat_model"]
