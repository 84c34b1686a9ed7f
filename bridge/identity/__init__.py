"""Identity of callers: each client's credential and rights, and the scope of answers and limits."""
