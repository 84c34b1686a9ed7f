"""Changes to the vault and how to undo them: the ledger, its journal and backups, and the audit log."""
