"""Tools of the web. They are in no preset: they come on top where they are switched on."""
