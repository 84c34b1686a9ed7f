"""The kinds of effects that a call can have: how each is shown, asked about, carried out and reported."""
