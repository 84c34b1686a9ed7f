"""Records that the bridge keeps for its user outside the vault: private folders, and the files in them."""
