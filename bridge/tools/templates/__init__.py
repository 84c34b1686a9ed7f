"""Templates: named chains with parameters, which the user keeps, and the tool that lists and runs them."""
