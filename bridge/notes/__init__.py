"""What one note means: its structure, its links, the names it is known by. Pure: no disk, no index."""
