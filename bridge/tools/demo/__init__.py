"""The demonstration: one tool, for nobody but the client that stands for it."""
