"""Sentence encoders: texts of one meaning get vectors that lie close together, whatever their language."""
