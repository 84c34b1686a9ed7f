"""Bytes and places: what lies where in the vault, and what a change of it would be."""
