"""The user's own tools, as tools of the bridge."""
