"""Errors of the application. Every message is one line, fit for a screen, that says what to do."""

from __future__ import annotations


class KioskError(Exception):
    """Something that a person has to know about.

    Attributes:
        code: Short stable name for logs and tests, such as "no-microphone".
        message: One line: what is wrong and what to do.
        is_permanent: True when trying again does not help; the part is unusable until somebody acts.
    """

    is_permanent = False

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class ConfigError(KioskError):
    """The configuration, a profile or an argument is wrong."""

    is_permanent = True


class AudioError(KioskError):
    """A microphone, a loudspeaker or a sound file cannot be used."""


class AvatarError(KioskError):
    """A photo is not fit for an avatar, or an avatar is damaged."""

    is_permanent = True


class RenderError(KioskError):
    """Pictures cannot be drawn or a video cannot be written."""


class StageFailure(KioskError):
    """A stage of the pipeline could not do its work."""
