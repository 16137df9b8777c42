"""Microphone, loudspeaker and echo canceller, put together."""

from __future__ import annotations

import logging

from kiosk.audio.capture import Capture
from kiosk.audio.echo import EchoProcessor
from kiosk.audio.host import SoundHost
from kiosk.audio.manager import DeviceManager
from kiosk.audio.playback import Playback
from kiosk.config import SoundConfig
from kiosk.errors import AudioError

log = logging.getLogger("audio")


class Sound:
    """Both directions of one machine; opens and closes them in the right order."""

    def __init__(self, config: SoundConfig, host: SoundHost | None = None) -> None:
        """Build the parts; nothing is opened yet. `host` is the sound system, by default the machine's own."""
        self._config = config
        self.devices = DeviceManager(host)
        self.playback = Playback(self.devices)
        echo = self._echo_processor(config)
        self.capture = Capture(self.devices, echo, lambda: self.playback.is_quiet)
        if echo is not None:
            self.playback.on_rendered = echo.add_reference

    def open(self) -> None:
        """Open loudspeaker and microphone; absent ones are awaited, see their `status`."""
        self.playback.open(self._config)
        self.capture.open(self._config)

    def close(self) -> None:
        """Close both; harmless when closed."""
        self.capture.close()
        self.playback.close()

    @staticmethod
    def _echo_processor(config: SoundConfig) -> EchoProcessor | None:
        if not config.echo_cancellation:
            return None
        try:
            return EchoProcessor()
        except AudioError as error:  # hearing with echo is better than a kiosk that does not start
            log.warning("%s", error.message)
            return None
