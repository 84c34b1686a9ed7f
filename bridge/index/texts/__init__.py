"""The texts of all files, and grep over them."""
