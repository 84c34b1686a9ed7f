"""The tools that do the work of several others, for models: each is built of what those are built of."""
