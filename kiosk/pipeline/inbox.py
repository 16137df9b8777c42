"""The queue in front of a stage."""

from __future__ import annotations

import threading
from collections import deque

from kiosk.events import Event
from kiosk.pipeline.scope import TurnScope


class Inbox:
    """A bounded first-in-first-out queue of events that forgets turns which are over.

    When it is full it blocks the producer, who wakes up to see a stop or the end of the event's turn.
    """

    def __init__(self, capacity: int, scope: TurnScope) -> None:
        self._capacity = capacity
        self._scope = scope
        self._events: deque[Event] = deque()
        self._changed = threading.Condition()
        self._closed = False
        scope.on_advance(self._wake)

    def put(self, event: Event) -> bool:
        """Add an event; false when it was dropped because the inbox is closed or the turn is over."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._closed or self._scope.is_over(event.turn_id) or len(self._events) < self._capacity
            )
            if self._closed or self._scope.is_over(event.turn_id):
                return False
            self._events.append(event)
            self._changed.notify_all()
            return True

    def offer(self, event: Event) -> bool:
        """Add an event only if nothing waits; never blocks. For work that is done on trial."""
        with self._changed:
            if self._closed or self._events or self._scope.is_over(event.turn_id):
                return False
            self._events.append(event)
            self._changed.notify_all()
            return True

    def get(self) -> Event | None:
        """Wait for the next event whose turn still runs; None once the inbox is closed."""
        with self._changed:
            while True:
                self._changed.wait_for(lambda: self._closed or bool(self._events))
                if self._closed:
                    return None
                event = self._events.popleft()
                self._changed.notify_all()
                if not self._scope.is_over(event.turn_id):
                    return event

    def close(self) -> None:
        """Drop everything and let producer and consumer go; may be called twice."""
        with self._changed:
            self._closed = True
            self._events.clear()
            self._changed.notify_all()

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits."""
        with self._changed:
            return not self._events

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()
