"""Vault Bridge: tools over an Obsidian vault that an agent may use and a person governs."""

__version__ = "0.1.0"
