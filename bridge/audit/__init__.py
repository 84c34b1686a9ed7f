"""The audit log: what was done and decided, in a chain that shows every change made to it afterwards."""
