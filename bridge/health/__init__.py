"""What can be wrong with a vault, its bridge and this machine, and what to do about it. Looks, and changes nothing."""
