"""Groups of a change's files that belong together: they are taken back as one or stay as one.

A move belongs with the changes to the notes that link there, and text that moves from one note to another is removed
from one and added to the other. Everything else is taken back file by file.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence

from bridge.journal.journal import BeginRecord
from bridge.vault.name_folding import fold
from bridge.vault.plan import Change, ChangeKind, ChangePlan


class Units:
    """The files of a change, by what belongs together.

    Args:
        begins: The change, or several in a row. One that does not say what belongs together, as earlier versions wrote
            it, belongs together as a whole.
    """

    def __init__(self, *begins: BeginRecord) -> None:
        self._joined: dict[str, str] = {}
        for begin in begins:
            for change in _of_files(begin.changes):
                self._join([change.path, change.new_path or change.path])
            whole = [[change.path for change in _of_files(begin.changes)]]
            for paths in whole if begin.units is None else begin.units:
                self._join(paths)

    def of(self, path: str) -> str:
        """Return the unit that a file belongs to: the same for all files that belong together."""
        name = fold(path)
        while (above := self._joined.setdefault(name, name)) != name:
            self._joined[name] = name = self._joined[above]
        return name

    def named(self) -> tuple[tuple[str, ...], ...]:
        """Return the units of several files each, by folded paths."""
        groups: dict[str, list[str]] = {}
        for name in list(self._joined):
            groups.setdefault(self.of(name), []).append(name)
        return tuple(tuple(paths) for paths in groups.values() if len(paths) > 1)

    def _join(self, paths: Sequence[str]) -> None:
        for path in paths:
            self._joined[self.of(path)] = self.of(paths[0])


def units_of(plan: ChangePlan) -> tuple[tuple[str, ...], ...]:
    """Return the groups of a plan's files that belong together, as the journal keeps them.

    Args:
        plan: The plan, with its previews.
    """
    if plan.units is not None:
        return plan.units
    files = list(_of_files(plan.changes))
    if plan.whole:
        return (tuple(change.path for change in files),) if files else ()
    unit_of = {path: shown.unit for shown in plan.previews for path in (shown.path, shown.new_path) if path}
    others = [change for change in files if not unit_of.get(change.path)]
    groups: dict[str, list[str]] = {}
    for change in files:
        if unit := unit_of.get(change.path):
            groups.setdefault(unit, []).append(change.path)
    if any(change.kind is ChangeKind.MOVE or change.path in plan.follows for change in others):
        groups[""] = [change.path for change in others]
    return tuple(tuple(dict.fromkeys(paths)) for paths in groups.values() if len(set(paths)) > 1)


def only(begin: BeginRecord, paths: Collection[str] | None) -> BeginRecord:
    """Return a part of a change: some files, what belongs with them, and the folders that they are in.

    Args:
        begin: The change.
        paths: The files; None: all of them.
    """
    if paths is None:
        return begin
    units = Units(begin)
    wanted = set(map(units.of, paths))
    places = {
        place
        for change in _of_files(begin.changes)
        if units.of(change.path) in wanted
        for place in (change.path, change.new_path)
        if place
    }
    for path in [*places, *paths]:
        parent = path
        while parent:
            places.add(parent)
            parent = parent.rpartition("/")[0]
    kept = [
        number
        for number, change in enumerate(begin.changes)
        if (change.path in places if change.of_folder else units.of(change.path) in wanted)
    ]
    return begin._replace(
        changes=tuple(begin.changes[number] for number in kept),
        modes=tuple(begin.modes[number] for number in kept),
    )


def _of_files(changes: Iterable[Change]) -> Iterator[Change]:
    return (change for change in changes if not change.of_folder)
