"""From a stream of microphone blocks to utterances: pure logic, no Qt, no threads, no clock of its own."""
