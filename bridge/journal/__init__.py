"""What happened in the vault and how to take it back: the ledger, its journal and backups, and the audit log."""
