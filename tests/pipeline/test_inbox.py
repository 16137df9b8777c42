"""Queues between stages: order, back pressure, forgetting of turns that are over."""

from __future__ import annotations

import threading

from kiosk.events import NothingHeard
from kiosk.pipeline.inbox import Inbox
from kiosk.pipeline.scope import TurnScope


def test_events_keep_their_order() -> None:
    scope = TurnScope()
    inbox = Inbox(3, scope)
    events = [NothingHeard(turn_id=scope.current) for _ in range(3)]
    assert all(inbox.put(event) for event in events)
    assert [inbox.get() for _ in range(3)] == events


def test_events_of_a_turn_that_is_over_are_dropped() -> None:
    scope = TurnScope()
    inbox = Inbox(3, scope)
    inbox.put(NothingHeard(turn_id=scope.current))
    scope.advance()
    fresh = NothingHeard(turn_id=scope.current)
    inbox.put(fresh)
    assert inbox.get() is fresh
    assert not inbox.put(NothingHeard(turn_id=scope.current - 1))


def test_a_full_inbox_blocks_the_producer_until_the_turn_is_over() -> None:
    scope = TurnScope()
    inbox = Inbox(1, scope)
    inbox.put(NothingHeard(turn_id=scope.current))
    results: list[bool] = []
    producer = threading.Thread(target=lambda: results.append(inbox.put(NothingHeard(turn_id=0))))
    producer.start()
    producer.join(0.05)
    assert producer.is_alive()
    scope.advance()
    producer.join(5)
    assert results == [False]


def test_closing_lets_a_waiting_consumer_go() -> None:
    inbox = Inbox(1, TurnScope())
    results: list[object] = []
    consumer = threading.Thread(target=lambda: results.append(inbox.get()))
    consumer.start()
    inbox.close()
    inbox.close()
    consumer.join(5)
    assert results == [None]


def test_an_offer_is_taken_only_by_an_empty_inbox() -> None:
    scope = TurnScope()
    inbox = Inbox(3, scope)
    assert inbox.offer(NothingHeard(turn_id=scope.current))
    assert not inbox.offer(NothingHeard(turn_id=scope.current))
    inbox.get()
    scope.advance()
    assert not inbox.offer(NothingHeard(turn_id=scope.current - 1))
