"""Obsidian's bases, evaluated: expressions, filters, formulas, views. Pure: files, time and zone are passed in."""
