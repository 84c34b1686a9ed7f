"""Pure decisions: who may do what, how often, and what a log may hold. No I/O; time is passed in."""
