"""The lobby: runs the real program on a virtual screen and sound card, plays visitors to it, and measures."""
