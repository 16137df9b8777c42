"""Tests that start the program themselves, no other kiosk running beside it."""
