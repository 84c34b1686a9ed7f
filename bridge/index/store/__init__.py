"""SQLite: what notes say, and the words of the full-text search."""
