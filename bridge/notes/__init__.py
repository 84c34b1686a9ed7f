"""The meaning of one note: its structure, its links, its names. Pure: no disk, no index."""
