"""The core tools: they find, search, read and patch files, and wait for the user's answers."""
