"""The knowledge about all notes, and searches in it. Derived and disposable: deleting it loses nothing."""
