"""A program whose supervisor has given up a blocked thread: it ends all the same, and in peace."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import time

from kiosk.paths import ROOT


def test_the_program_ends_within_seconds_though_an_abandoned_thread_is_blocked() -> None:
    """As `kiosk.app` does: stop, wait, and leave at once when a thread is late."""
    program = textwrap.dedent("""
        import gc
        from PySide6.QtCore import QCoreApplication, QTimer
        from kiosk.app import _leave_at_once
        from kiosk.pipeline.scope import TurnScope
        from kiosk.pipeline.inbox import Inbox
        from kiosk.pipeline.watchdog import Watchdog
        from kiosk.events import Question
        from kiosk.pipeline.supervisor import StageSupervisor
        from tests.pipeline.scripted_stage import HandClock, Script

        app, clock, script, scope = QCoreApplication([]), HandClock(), Script(), TurnScope()
        inbox = Inbox(8, scope)
        supervisor = StageSupervisor("voice", script.make, inbox, scope, now_ns=clock)
        watchdog = Watchdog([supervisor])
        supervisor.loaded.connect(lambda _: inbox.put(Question(turn_id=scope.current, text="hang", language="en")))
        supervisor.start()

        def step():
            if script.taken.is_set():
                watchdog.check(clock.advance(1))
            if len(script.copies) == 2:
                app.quit()

        timer = QTimer(interval=20)
        timer.timeout.connect(step)
        timer.start()
        app.exec()
        timer.stop()
        supervisor.stop()
        late = not supervisor.wait(4000)
        del supervisor, watchdog, step
        timer.timeout.disconnect()
        gc.collect()
        print("late" if late else "clean", flush=True)
        if late:
            _leave_at_once(0)
    """)
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, "late"), done.stderr
    assert "QThread" not in done.stderr
    assert time.monotonic() - began < 20


def test_an_abandoned_thread_that_outlives_its_supervisor_ends_in_peace() -> None:
    """Qt aborts the program when the object of a thread goes before the thread."""
    program = textwrap.dedent("""
        import gc
        import time
        import weakref
        from PySide6.QtCore import QCoreApplication
        from kiosk.pipeline.scope import TurnScope
        from kiosk.pipeline.inbox import Inbox
        from kiosk.events import Question
        from kiosk.pipeline.supervisor import StageSupervisor
        from tests.pipeline.scripted_stage import Script

        app, script, scope = QCoreApplication([]), Script(), TurnScope()
        inbox = Inbox(8, scope)
        supervisor = StageSupervisor("voice", script.make, inbox, scope)
        supervisor.start()
        inbox.put(Question(turn_id=scope.current, text="hang", language="en"))
        assert script.taken.wait(10)
        app.processEvents()
        assert supervisor.restart(supervisor.report(), "test")
        supervisor.stop()
        assert not supervisor.wait(4000)
        gone = weakref.ref(supervisor)
        del supervisor
        gc.collect()
        script.gate.set()
        while script.closed() != [0, 1]:
            time.sleep(0.01)
        time.sleep(0.2)
        gc.collect()
        print("in peace", gone() is None, flush=True)
    """)
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, "in peace True"), done.stderr
