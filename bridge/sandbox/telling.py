"""Error reports of our own processes: the first line of standard error says why they end."""

from typing import Final

TELL_ERROR: Final = """
import sys
def tell(kind, error, trace):
    import traceback
    print(kind.__name__, error, sep=": ", file=sys.stderr)
    traceback.print_exception(kind, error, trace)
sys.excepthook = tell
"""
"""Beginning of their programs: the line with the error comes before the traceback."""
