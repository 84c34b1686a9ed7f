"""How processes of ours say why they end: in the first line of their standard error."""

from typing import Final

TELL_ERROR: Final = """
import sys
def tell(kind, error, trace):
    import traceback
    print(kind.__name__, error, sep=": ", file=sys.stderr)
    traceback.print_exception(kind, error, trace)
sys.excepthook = tell
"""
"""What their programs begin with: the line that says what was wrong comes before the traceback."""
