"""Threads of stages need an event loop, not a screen."""

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # before the first QApplication
