"""Drafts: the tool that begins and submits them, and the tools that look at a vault as a draft has it."""
