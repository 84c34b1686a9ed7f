"""API keys of services on the network: encrypted in the vault's settings, the master key outside the vault."""
