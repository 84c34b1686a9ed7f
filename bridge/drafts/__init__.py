"""Drafts: changes of one client that only it sees, until a person takes them as one."""
