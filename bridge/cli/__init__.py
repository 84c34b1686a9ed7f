"""The command line: one file per command, and the terminal's consent screen."""
