"""Who calls: a credential for each client, what it may do, and whom an answer or a limit holds for."""
