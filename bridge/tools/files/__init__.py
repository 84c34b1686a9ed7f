"""The file tools: they list, read, write, move and delete files."""
