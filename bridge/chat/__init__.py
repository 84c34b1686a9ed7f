"""Chat: a conversation of the person's with a model, which calls tools as a client of its own."""
