"""The user's own tools: where they are stored, how they are checked, and how their code is run."""
