"""Commands that agents run, on a copy of the vault."""
