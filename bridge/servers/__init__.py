"""Other servers that speak MCP: which there are, connections to them, and what of them the person has seen.

A server is a program or an address that the user entered. What it says (names, descriptions, schemas, results) is data
of a stranger: bounded, checked, and never taken for an instruction.
"""
