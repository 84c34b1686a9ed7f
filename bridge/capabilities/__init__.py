"""The parts of a bridge: each capability builds its services from what it is given, and starts and stops them."""
