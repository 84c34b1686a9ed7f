"""The programs whose own editors can ask before they change a file: how each is told to, in its own settings.

Of every program it is written down here what its documented interface allows, and what it does not. A program that is
told in another way is added here and nowhere else.
"""

import json
import re
import shlex
import subprocess
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from string import Template
from typing import Any, Final, Literal, NamedTuple

from bridge.agents.documents import JsonDocument
from bridge.agents.machine import ConfigurationRefused, Machine
from bridge.agents.table import BY_ID, claude_folder, codex_folder, words_of

MARGIN_SECONDS: Final = 30
"""By how much longer a program waits for the hook than the hook for the person."""

Edits = Literal["ask", "refuse"]


@dataclass(frozen=True, slots=True)
class Hook:
    """A command for a program to start as a hook, with the files and rules that it is about.

    Attributes:
        words: The command: a program and its arguments. The last one names the hook's configuration, and is ours alone.
        seconds: Time that the hook waits for the person.
        guarded: Files and folders that the protection depends on.
        vault: The vault's folder.
        edits: The treatment of the program's own edits in the vault.
        name: The hook's name, with letters, digits and `-` only.
    """

    words: tuple[str, ...]
    seconds: int
    guarded: tuple[Path, ...]
    vault: Path
    edits: Edits
    name: str

    @property
    def mark(self) -> str:
        """Return what identifies the hook in a program's settings."""
        return self.words[-1]


Text = Callable[[str, Hook], str]
"""Returns the new text of a file; an empty text stands for no file."""


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """One file of a program's settings.

    Attributes:
        file: Its path.
        put: Its text with the hook or the rules.
        take: Its text without.
        own: Whether the whole file is ours.
    """

    file: Path
    put: Text
    take: Text
    own: bool = False


class Holds(NamedTuple):
    """One line of the table of what holds.

    Attributes:
        what: What happens.
        then: What becomes of it.
    """

    what: str
    then: str


@dataclass(frozen=True, slots=True)
class Protected:
    """One program.

    Attributes:
        id: Its name on the command line.
        places: The files of its settings, on a machine.
        holds: What holds, and what does not.
        switched_off: Why the hook is not run although it is there, as sentences.
        then: The person's next steps.
        switches: Further files and folders of the user's by which the hook can be switched off.
        names: What such files are called in any project: the last parts of their paths, in which * stands for anything.
    """

    id: str
    places: Callable[[Machine, Hook], tuple[SettingsFile, ...]]
    holds: tuple[Holds, ...]
    then: str
    switches: Callable[[Machine], tuple[Path, ...]] = field(default=lambda _machine: ())
    names: tuple[str, ...] = ()
    switched_off: Callable[[Machine], Sequence[str]] = field(default=lambda _machine: ())

    @property
    def title(self) -> str:
        """Return its name for people."""
        return BY_ID[self.id].title

    @property
    def client(self) -> str:
        """Return the client for its editor, separate from the client of the program itself."""
        return f"{self.title} (own editor)"


def _holds(*edits: Holds, crash: str, settings: str, off: Holds) -> tuple[Holds, ...]:
    """Return the table of a program: what it edits, and what holds for all of them or differs in one word.

    Args:
        edits: The edits by its own tools.
        crash: What follows if the hook crashes.
        settings: What follows if it changes settings that switch the hook off.
        off: What holds when it is started without the hook.
    """
    return (
        *edits,
        Holds("It writes by a shell or a script (sed, mv, cp, rm)", "Not asked about. It is recorded"),
        Holds("You do not answer in time", "Refused; it is told to ask you and try again"),
        Holds("The hook cannot start, crashes or is killed", crash),
        Holds("Vault Bridge does not run", "Let through and recorded, or refused: --without-bridge"),
        Holds("It changes settings that can switch this off with its editor", settings),
        off,
        Holds("It removes all this by a shell", "Possible. vault-bridge doctor and Obsidian say so afterwards"),
    )


def _changes(tools: str, more: str = "") -> Holds:
    return Holds(f"It changes a file of the vault with {tools}", f"You are asked, with the exact diff{more}")


def _hooks_off(say: str) -> Holds:
    return Holds("It is started with hooks switched off", f"Not asked about. {say}")


# -- Claude Code --------------------------------------------------------------------------------------------------


_GLOB: Final = re.compile(r"[*?\[\]{}()!\\]")


def _claude_rule(path: Path, *, folder: bool) -> str | None:
    """Return a rule of Claude Code for edits of one file or folder; None if its path means something else in a rule."""
    text = path.as_posix()
    if path.drive:
        text = f"/{path.drive[0].lower()}{text[2:]}"
    return None if _GLOB.search(text) else f"Edit(/{text}{'/**' if folder else ''})"


def claude_rules(hook: Hook) -> tuple[str, ...]:
    """Return the edits that Claude Code's own rules deny: to the files of the protection, or to all of the vault."""
    places = [(path, not path.suffix) for path in hook.guarded]
    if hook.edits == "refuse":
        places.append((hook.vault, True))
    rules = [_claude_rule(path, folder=folder) for path, folder in places]
    return tuple(dict.fromkeys(rule for rule in rules if rule is not None))


_CLAUDE_HOOKS: Final = ("hooks", "PreToolUse")
_CLAUDE_DENY: Final = ("permissions", "deny")


def _claude_put(text: str, hook: Hook) -> str:
    program, *arguments = hook.words
    entry: dict[str, Any] = {"type": "command", "command": program, "args": arguments}
    entry |= {"timeout": hook.seconds + MARGIN_SECONDS, "onFailure": "block"}
    group = {"matcher": "Edit|Write|MultiEdit|NotebookEdit", "hooks": [entry]}
    document = _with_group(JsonDocument(text), _CLAUDE_HOOKS, group, hook)
    rules = claude_rules(hook)
    document = _without_rules(document, set(claude_rules(_refusing(hook))) - set(rules))
    denied = document.get(_CLAUDE_DENY)
    for rule in rules:
        if not (isinstance(denied, list) and rule in denied):
            document = document.append(_CLAUDE_DENY, rule)
    return document.text


def _claude_take(text: str, hook: Hook) -> str:
    document = _without_group(JsonDocument(text), _CLAUDE_HOOKS, hook)
    rules = set(claude_rules(_refusing(hook)))
    if _has_another(document.get(_CLAUDE_HOOKS), hook):  # the rules about what protects both are for both
        rules -= set(claude_rules(replace(hook, edits="ask")))
    return _without_rules(document, rules).text


def _without_rules(document: JsonDocument, rules: Collection[str]) -> JsonDocument:
    """Return the settings without deny rules."""
    for rule in rules:
        denied = document.get(_CLAUDE_DENY)
        if isinstance(denied, list) and rule in denied:
            document = document.remove(_CLAUDE_DENY, denied.index(rule))
    return document


def _refusing(hook: Hook) -> Hook:
    return replace(hook, edits="refuse")


def _has_another(groups: Any, hook: Hook) -> bool:
    """Return whether a hook of ours for another vault is in a list of groups."""
    folder = str(Path(hook.mark).parent)
    return any(folder in text for group in (groups if isinstance(groups, list) else ()) for text in _texts(group))


def _claude_settings(machine: Machine) -> Path:
    return claude_folder(machine) / "settings.json"


def _claude_off(machine: Machine) -> Sequence[str]:
    file = _claude_settings(machine)
    return (f"{file} has disableAllHooks",) if _read(file).get(("disableAllHooks",)) is True else ()


# -- Gemini CLI ---------------------------------------------------------------------------------------------------


_GEMINI_HOOKS: Final = ("hooks", "BeforeTool")


def _gemini_put(machine: Machine, text: str, hook: Hook) -> str:
    entry: dict[str, Any] = {"name": hook.name, "type": "command"}
    entry |= {"command": shell_line(hook.words, machine, powershell=True)}
    entry |= {"timeout": (hook.seconds + MARGIN_SECONDS) * 1000}
    group = {"matcher": "^(write_file|replace)$", "hooks": [entry]}
    return _with_group(JsonDocument(text, comments=True), _GEMINI_HOOKS, group, hook).text


def _gemini_take(text: str, hook: Hook) -> str:
    return _without_group(JsonDocument(text, comments=True), _GEMINI_HOOKS, hook).text


def gemini_rules(_text: str, hook: Hook) -> str:
    """Return a policy of Gemini CLI: a file of rules, which denies what `claude_rules` denies."""
    places = [*hook.guarded, *([hook.vault] if hook.edits == "refuse" else [])]
    rules = [
        '[[rule]]\ntoolName = ["write_file", "replace"]\n'
        f"argsPattern = {json.dumps(_gemini_pattern(place), ensure_ascii=False)}\n"
        'decision = "deny"\npriority = 999\n'
        'denyMessage = "The user lets these files be changed by Vault Bridge only."'
        for place in places
    ]
    return "\n\n".join(("# Written by `vault-bridge protect gemini`, which also takes it away.", *rules)) + "\n"


def _gemini_pattern(path: Path) -> str:
    """Return a pattern for arguments, as JSON, that name a file or what lies in a folder."""
    quoted = re.escape(json.dumps(str(path), ensure_ascii=False)[1:-1]).replace("/", "\\/").replace("\\ ", " ")
    return f'"file_path":"{quoted}["\\\\/]'


def _gemini_settings(machine: Machine) -> Path:
    return machine.home / ".gemini" / "settings.json"


def _gemini_off(machine: Machine) -> Sequence[str]:
    file = _gemini_settings(machine)
    settings = _read(file, comments=True)
    switches = {"hooksConfig": "enabled", "tools": "enableHooks"}
    groups = {name: settings.get((name,)) for name in switches}
    off = [name for name, group in groups.items() if isinstance(group, dict) and group.get(switches[name]) is False]
    return [f"{file} has {name}.{switches[name]} = false" for name in off]


# -- Codex --------------------------------------------------------------------------------------------------------


_CODEX_HOOKS: Final = ("hooks", "PreToolUse")


def _codex_put(machine: Machine, text: str, hook: Hook) -> str:
    entry: dict[str, Any] = {"type": "command", "command": shell_line(hook.words, machine)}
    entry |= {"timeout": hook.seconds + MARGIN_SECONDS, "statusMessage": "Asking in Vault Bridge"}
    group = {"matcher": "^(apply_patch|Edit|Write|Bash)$", "hooks": [entry]}
    return _with_group(JsonDocument(text), _CODEX_HOOKS, group, hook).text


def _codex_take(text: str, hook: Hook) -> str:
    return _without_group(JsonDocument(text), _CODEX_HOOKS, hook).text


def _codex_off(machine: Machine) -> Sequence[str]:
    import tomllib  # noqa: PLC0415 - only where Codex is looked at

    folder = codex_folder(machine)
    try:
        settings = tomllib.loads((folder / "config.toml").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        settings = {}
    found = []
    features, hooks = settings.get("features"), settings.get("hooks")
    if isinstance(features, dict) and (features.get("hooks", features.get("codex_hooks")) is False):
        found.append(f"{folder / 'config.toml'} has features.hooks = false")
    states = hooks.get("state") if isinstance(hooks, dict) else None
    ours = [state for key, state in states.items() if key.startswith(str(folder))] if isinstance(states, dict) else []
    if not any(isinstance(state, dict) and state.get("trusted_hash") for state in ours):
        found.append("Codex runs no hook that you have not trusted: type /hooks in Codex, and trust this one")
    if any(isinstance(state, dict) and state.get("enabled") is False for state in ours):
        found.append("Codex has the hook switched off: type /hooks in Codex, and switch it on")
    return found


# -- OpenCode -----------------------------------------------------------------------------------------------------


def _opencode_plugin(_text: str, hook: Hook) -> str:
    template = Template(Path(__file__).with_name("opencode_plugin.js").read_text(encoding="utf-8"))
    return template.substitute(
        name=json.dumps(hook.name),
        words=json.dumps(hook.words),
        milliseconds=str((hook.seconds + MARGIN_SECONDS) * 1000),
    )


def _opencode_switches(machine: Machine) -> tuple[Path, ...]:
    """Return the configurations that OpenCode reads for the user, and the folders of the plugins."""
    folders = [machine.xdg_config / "opencode"]
    named = [Path(text) for text in (machine.environ.get("OPENCODE_CONFIG"),) if text]
    if text := machine.environ.get("OPENCODE_CONFIG_DIR"):
        folders.append(Path(text))
    kinds = ("opencode.json", "opencode.jsonc", "config.json", "plugins", "plugin")
    return (*named, *(folder / kind for folder in folders for kind in kinds))


# -- what they share ----------------------------------------------------------------------------------------------


def shell_line(words: Sequence[str], machine: Machine, *, powershell: bool = False) -> str:
    """Return a command as the program's shell takes it: on Windows that of `cmd`, or PowerShell."""
    if machine.system != "windows":
        return shlex.join(words)
    if powershell:
        return "& " + " ".join("'" + word.replace("'", "''") + "'" for word in words)
    return subprocess.list2cmdline(words)


def _with_group(document: JsonDocument, path: tuple[str, ...], group: dict[str, Any], hook: Hook) -> JsonDocument:
    """Return the settings with a group of hooks, last in a list and our only one; unchanged if it is there."""
    groups = document.get(path)
    if isinstance(groups, list) and [one for one in groups if _is_ours(one, hook)] == [group]:
        return document
    return _without_group(document, path, hook).append(path, group)


def _without_group(document: JsonDocument, path: tuple[str, ...], hook: Hook) -> JsonDocument:
    while isinstance(groups := document.get(path), list):
        at = next((at for at, group in enumerate(groups) if _is_ours(group, hook)), None)
        if at is None:
            break
        document = document.remove(path, at)
    return document


def _is_ours(group: Any, hook: Hook) -> bool:
    """Return whether a group of hooks starts ours for this vault, however the command is written."""
    written = [hook.mark, shlex.quote(hook.mark)]
    return any(text.strip("'\"").endswith(hook.mark) or any(mark in text for mark in written) for text in _texts(group))


def _texts(group: Any) -> list[str]:
    """Return the words of the commands of a group of hooks."""
    entries = group.get("hooks") if isinstance(group, dict) else None
    return [word for entry in entries for word in words_of(entry)] if isinstance(entries, list) else []


def _read(file: Path, *, comments: bool = False) -> JsonDocument:
    try:
        return JsonDocument(file.read_text(encoding="utf-8"), comments=comments)
    except (OSError, ValueError, ConfigurationRefused):
        return JsonDocument("{}")


def _whole(make: Text, file: Path) -> SettingsFile:
    """Return a file that is ours alone."""
    return SettingsFile(file, make, lambda _text, _hook: "", own=True)


PROTECTED: Final = (
    Protected(
        id="claude-code",
        places=lambda machine, _hook: (SettingsFile(_claude_settings(machine), _claude_put, _claude_take),),
        holds=_holds(
            _changes("Edit, Write or MultiEdit"),
            Holds("It changes a notebook of the vault with NotebookEdit", "Refused"),
            crash="Refused from Claude Code 2.1.295 on (onFailure)",
            settings="Refused, by its own deny rules and by the hook",
            off=_hooks_off("Its deny rules hold all the same"),
        ),
        then="Start Claude Code again; `/hooks` in it lists the hook.",
        switches=lambda machine: (claude_folder(machine) / "settings.local.json",),
        names=(".claude/settings.json", ".claude/settings.local.json"),
        switched_off=_claude_off,
    ),
    Protected(
        id="codex",
        places=lambda machine, _hook: (
            SettingsFile(codex_folder(machine) / "hooks.json", partial(_codex_put, machine), _codex_take),
        ),
        holds=_holds(
            _changes("apply_patch", ", once you have trusted the hook"),
            Holds("It gives its shell a patch for apply_patch and nothing else", "The same"),
            crash="Let through: Codex has no switch for that",
            settings="Refused by the hook; Codex has no rule for single files",
            off=_hooks_off("Codex has no rule for single files"),
        ),
        then="Start Codex again, type `/hooks` and trust the hook: before that Codex does not run it.",
        switches=lambda machine: (codex_folder(machine) / "config.toml",),
        names=(".codex/hooks.json", ".codex/*.toml"),
        switched_off=_codex_off,
    ),
    Protected(
        id="gemini",
        places=lambda machine, hook: (
            SettingsFile(_gemini_settings(machine), partial(_gemini_put, machine), _gemini_take),
            _whole(gemini_rules, machine.home / ".gemini" / "policies" / f"{hook.name}.toml"),
        ),
        holds=_holds(
            _changes("write_file or replace"),
            crash="Let through when it is killed, refused when it cannot start; Gemini CLI has no switch for that",
            settings="Refused by the hook, and by its policy where the path is written in full",
            off=_hooks_off("Its policy holds all the same"),
        ),
        then="Start Gemini CLI again; `/hooks` in it lists the hook.",
        names=(".gemini/settings.json", ".gemini/.env"),
        switched_off=_gemini_off,
    ),
    Protected(
        id="opencode",
        places=lambda machine, hook: (
            _whole(_opencode_plugin, machine.xdg_config / "opencode" / "plugins" / f"{hook.name}.js"),
        ),
        holds=_holds(
            _changes("edit, write, multiedit or apply_patch", ", from OpenCode 1.18.29 on"),
            crash="Refused",
            settings="Refused by the hook; its rules know no absolute paths",
            off=Holds("It is started without plugins", "Not asked about"),
        ),
        then="Start OpenCode again.",
        switches=_opencode_switches,
        names=("opencode.json", "opencode.jsonc", ".opencode/plugin", ".opencode/plugins"),
    ),
)

PROTECTED_BY_ID: Final = {one.id: one for one in PROTECTED}
