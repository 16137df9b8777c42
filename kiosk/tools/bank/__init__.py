"""The tools of the bank lobby, over a demo bank of invented customers."""
