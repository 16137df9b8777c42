"""Answers looked up or reckoned from data: never from a model's imagination, and never moved by what anybody says."""
