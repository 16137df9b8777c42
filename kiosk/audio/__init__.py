"""Microphone and loudspeaker. `sound.Sound` puts the parts together; knows nothing of turns, words or the screen."""
