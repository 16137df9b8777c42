"""The pure parts of the lobby itself; no program, no sound card."""
