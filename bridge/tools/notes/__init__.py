"""The note tools: notes by name, their links, tags and properties."""
