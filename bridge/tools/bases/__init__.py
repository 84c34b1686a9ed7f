"""Obsidian's bases, for the tools that answer from them, change them and keep them in step."""
