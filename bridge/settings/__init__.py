"""The settings of one vault: what there is to set, the file they are kept in, and what changes in them."""
