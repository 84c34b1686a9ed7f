"""What is known of all notes, and how it is searched. Derived and disposable: deleting it loses nothing."""
