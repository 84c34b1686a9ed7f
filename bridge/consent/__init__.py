"""Asking people: the open questions, one outcome each, and what was said before."""
