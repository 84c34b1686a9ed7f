"""The tool `daily_note`: the note of a day, week, month, quarter or year, made and filled as the user has set it."""

from datetime import date, datetime, timedelta

from pydantic import Field

from bridge.clock import Clock
from bridge.contract.consent import RiskLevel
from bridge.errors import InvalidParameters
from bridge.notes.moment_format import format_moment
from bridge.toolkit.tool import AGENT, VAULT, CallContext, Output, Unchanged, WriteTool, in_vault
from bridge.tools.everyday.places import with_text_below
from bridge.tools.files.create_note import fill_template, find_template, unfilled_warning
from bridge.tools.files.link_keeping import LinkKeeper
from bridge.tools.kinds import SnakeCaseParams, write_spec
from bridge.tools.paths import note_path, read_text
from bridge.tools.storage import PlanningStorage, exists
from bridge.vault.app_settings import Period, PeriodSettings
from bridge.vault.paths import VaultPath
from bridge.vault.plan import Applied, ChangeKind, ChangePlan
from bridge.vault.text import encode

_DAYS = {"yesterday": -1, "today": 0, "tomorrow": 1}


class DailyNoteParams(SnakeCaseParams):
    """The note, and what to add to it."""

    period: Period = "daily"
    date: str = Field("today", max_length=20, description="A day in it: YYYY-MM-DD, today, yesterday or tomorrow")
    append: str | None = Field(None, description="Text to add")
    heading: str | None = Field(None, min_length=1, max_length=1000, description="With append: below this heading")


class DailyNoteTool(WriteTool[DailyNoteParams]):
    """The tool that makes and extends the notes of days and longer periods.

    Args:
        storage: The vault.
        clock: The time, and what deadlines are given in.
    """

    spec = write_spec(
        name="daily_note",
        action="write/wrote {files|a daily note}",
        description=(
            "Find, create or add to the note of a day, week, month, quarter or year, as the user has set them up."
        ),
        icon="calendar",
        parameters=DailyNoteParams,
        risk=RiskLevel.MEDIUM,
        id_prefix="daily",
        presets=frozenset({AGENT, VAULT}),
    )

    def __init__(self, storage: PlanningStorage, clock: Clock) -> None:
        self._storage = storage
        self._clock = clock
        self._keeper = LinkKeeper(storage, clock)

    def prepare(self, params: DailyNoteParams, context: CallContext) -> ChangePlan | Unchanged:
        """Find the note, or plan it."""
        if params.heading is not None and params.append is None:
            raise InvalidParameters("heading says where append goes; give append too")
        when = self._when(params.date)
        settings = self._storage.note_settings.periods.get(params.period)
        if settings is None:
            raise InvalidParameters(
                f"The user has no {params.period} notes: the plugin Periodic Notes is off or does not have them"
            )
        path = note_path(f"{settings.folder}/{format_moment(when, settings.format)}", self._storage, "date")
        if exists(self._storage, path):
            return self._extended(path, params)
        return self._created(path, settings, when, params, context)

    def report(self, _params: DailyNoteParams, applied: Applied) -> Output:
        """Report which note it is."""
        own = next(each for each in applied.plan.changes if each.kind in {ChangeKind.CREATE, ChangeKind.MODIFY})
        made = own.kind is ChangeKind.CREATE
        said = "Created" if made else "Added to"
        return Output({"path": own.path, "created": made}, f"{said} {own.path}. ({applied.execution_id})")

    def _when(self, text: str) -> datetime:
        """Return the day that is meant, at this time of it."""
        now = self._clock.now().astimezone()
        word = text.strip().lower()
        if word in _DAYS:
            return now + timedelta(days=_DAYS[word])
        try:
            return datetime.combine(date.fromisoformat(word), now.time()).astimezone()
        except (ValueError, OverflowError):
            raise InvalidParameters(f"{text!r} is no date; write YYYY-MM-DD, today, yesterday or tomorrow") from None

    def _extended(self, path: VaultPath, params: DailyNoteParams) -> ChangePlan | Unchanged:
        """Return the note that is there, with more text."""
        if params.append is None:
            found = self._storage.resolve(path)
            message = Output({"path": str(found), "created": False}, f"{found} is there.")
            return Unchanged(in_vault(str(found)), f"Look whether {found} exists", message)
        found, data = read_text(self._storage, path)
        builder = self._storage.plan()
        builder.modify(found, data, encode(with_text_below(data.decode(), str(found), params.append, params.heading)))
        return builder.build(self.spec.operation, f"Add text to {found}")

    def _created(
        self, path: VaultPath, settings: PeriodSettings, when: datetime, params: DailyNoteParams, context: CallContext
    ) -> ChangePlan:
        """Return the note from its template, with the text."""
        text, reads = "", list[str]()
        if settings.template:
            template = find_template(self._storage, settings.template)
            text, reads = fill_template(self._storage, template, path, when), [str(self._storage.resolve(template))]
        warnings = unfilled_warning(text)
        if params.append is not None:
            text = with_text_below(text, str(path), params.append, params.heading)
        self._storage.check_new_name(path.name)
        place = self._storage.resolve_new(path)
        return self._keeper.creation(place, encode(text), f"Create {place}", context, warnings, reads=reads)
