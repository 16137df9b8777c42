"""Tests that share one running kiosk, which is closed after the last of them."""
