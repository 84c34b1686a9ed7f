"""The programs in which people use agents: where each keeps its configuration, and how this bridge gets into it."""
