"""Searching notes: the query language, its evaluation, ranking and excerpts; and finding files by name."""
