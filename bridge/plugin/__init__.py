"""The Obsidian plugin, as files: where a built one is, and how it gets into a vault. For the command line."""
