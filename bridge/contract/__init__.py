"""The pydantic models of everything on the wire. The plugin's types and `docs/protocol.md` follow these.

Names on the wire are camelCase; in Python they are snake_case. Models that come from outside refuse unknown fields.
"""
