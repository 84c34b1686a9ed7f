"""Searching the web: one file for each service, behind one protocol, and the order in which they are asked."""
