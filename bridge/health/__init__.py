"""Checks of a vault, its bridge and this machine, with a remedy for each fault. Looks, and changes nothing."""
