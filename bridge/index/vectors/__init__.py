"""Search by meaning: passages of notes as vectors, made in the background, kept in files, and compared with a query's.

Only this package and what it imports know numpy, which comes with the extra `semantic`. Everything else works without.
"""
