"""Trials of turn-taking: each takes a running session and gives figures; long as a command, short as a test."""
