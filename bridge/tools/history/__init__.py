"""The history's tools: undo and redo, as writes like any other."""
