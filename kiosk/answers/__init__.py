"""Approved answers: what the house itself wrote, matched by meaning and given before any model is asked."""
