"""What a bridge is made of: each capability builds its services from what it is given, and starts and stops them."""
