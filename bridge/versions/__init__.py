"""Earlier versions of files that other programs changed: what is kept, what became of files, and the way back."""
