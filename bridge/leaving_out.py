"""Imports without what they can do without: other libraries, and the search for garbage."""

import gc
import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from types import ModuleType


@contextmanager
def put_in_place(modules: Mapping[str, ModuleType | None]) -> Iterator[None]:
    """Import, within this context, with other modules in the place of some. Call it before other threads import.

    Args:
        modules: What stands for each, by its name; None: as if it were not installed.
    """
    loaded = {name: sys.modules[name] for name in modules if name in sys.modules}
    sys.modules.update(modules)  # type: ignore[arg-type] # by None, Python says that there is no such module
    try:
        yield
    finally:
        for name in modules:
            del sys.modules[name]
        sys.modules.update(loaded)


def leave_out(*names: str) -> AbstractContextManager[None]:
    """Import, within this context, as if some modules were not installed."""
    return put_in_place(dict.fromkeys(names))


@contextmanager
def without_collection() -> Iterator[None]:
    """Import without looking for garbage: there is none, and to look again and again takes a tenth of a start."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
