"""The tool with which a client asks about what its own editor is about to do."""
