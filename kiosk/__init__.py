"""The kiosk: an offline digital human for a public screen."""

__version__ = "0.1.0"
