"""Programs that the bridge starts: what each may reach, how much it may take, and that none outlives the bridge."""
