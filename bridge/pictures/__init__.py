"""Pictures of the vault as models take them: scaled, without metadata, made in a worker process for each."""
