"""The hook: asked by a client before its own editor changes a file, it asks the bridge, which asks the person.

A program of its own, which the client starts before each such change, so it is one file that imports nothing but the
standard library, and of that little. It is started as `python -I -S hook.py CONFIGURATION`, reads what the client is
about to do from its standard input, and answers in the client's own way. `bridge/agents/protection.py` writes the
configuration and enters the hook.

It always answers, and before the client stops waiting: clients let a change through where a hook is late or crashes.
"""

import _thread
import json
import os
import stat
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:  # the module `typing` takes longer to import than all else
    from collections.abc import Callable
    from typing import Any, Final, NoReturn

PASS: "Final" = 0
BLOCK: "Final" = 2
"""The exit code that blocks a change in every client that has exit codes."""

LARGEST: "Final" = 8 * 1024 * 1024
"""Bytes of a change that a person is asked about; the bridge takes little more in one frame."""

LARGEST_EVENT: "Final" = 64 * 1024 * 1024
"""Bytes of what a client sends."""

CONNECT_SECONDS: "Final" = 0.5
"""A bridge on the same machine takes a connection at once, or there is none."""

TOOL: "Final" = "allow_edit"

_LONGEST_PATH: "Final" = 4096

_NAMES: "Final" = {
    "path": {"claude-code": "file_path", "gemini": "file_path", "opencode": "filePath"},
    "old": {"claude-code": "old_string", "gemini": "old_string", "opencode": "oldString"},
    "new": {"claude-code": "new_string", "gemini": "new_string", "opencode": "newString"},
    "patch": {"codex": "command", "opencode": "patchText"},
    "content": {"claude-code": "content", "gemini": "content", "opencode": "content"},
}
"""The name of an argument in each client's editing tools. It reads that one, so no other may say something else."""

_EVERYWHERE: "Final" = {"claude-code": ("replace_all",), "gemini": ("allow_multiple",), "opencode": ("replaceAll",)}
"""The name in each client for replacing every occurrence."""

_OTHER_NAMES: "Final" = {"path": {"path", "absolute_path"}, "patch": {"input", "patch"}}
"""The names of these in other programs, which a client may take for its own some day."""

_SHELL: "Final" = "bash"
"""The name of Codex's shell where it asks a hook, whichever of its shell tools is called."""
_SHELL_PATCH: "Final" = ("apply_patch", "applypatch")
"""Codex carries out a patch that its shell is given for one of these itself, and starts no program."""

_PATCH_BEGINS: "Final" = ("*** Add File: ", "*** Update File: ", "*** Delete File: ")
_PATCH_MOVES: "Final" = "*** Move to: "


class Refused(Exception):
    """The change is refused; the message says why, for the agent."""


class Unclear(Exception):
    """The error where a client's intended change is not understood."""


class NoBridge(Exception):
    """No bridge serves the vault."""


class Answer:
    """The one answer of this process, however many would give it.

    Args:
        client: The client's id, which says in which form.
    """

    def __init__(self, client: str) -> None:
        self._client = client
        self._given = _thread.allocate_lock()

    def give(self, allowed: "bool | None", reason: str = "") -> "NoReturn":
        """Answer and end.

        Args:
            allowed: None says nothing: the client goes on as without a hook.
            reason: Why not.
        """
        while not self._given.acquire(blocking=False):
            time.sleep(1)  # the other one ends the process
        out, err, code = answer_of(self._client, allowed, reason)
        _write(1, out)
        _write(2, err)
        os._exit(code)


def answer_of(client: str, allowed: "bool | None", reason: str = "") -> "tuple[str, str, int]":
    """Return an answer in a client's form.

    Args:
        client: The client's id.
        allowed: Yes, no, or nothing said.
        reason: Why not.

    Returns:
        What is written on standard output, and on standard error, and the exit code.
    """
    if client == "claude-code":
        if allowed is None:
            return "", "", PASS
        word, said = ("allow", "Allowed in Vault Bridge") if allowed else ("deny", reason)
        decision = {"hookEventName": "PreToolUse", "permissionDecision": word, "permissionDecisionReason": said}
        return json.dumps({"hookSpecificOutput": decision}), "", PASS
    if allowed is False:
        return "", reason, BLOCK
    return ("{}" if client == "gemini" else ""), "", PASS


def edits_of(client: str, tool: str, given: "dict[str, Any]") -> "list[dict[str, Any]]":
    """Return the edits that a client's tool is about to make, each with its path as the client spells it.

    Args:
        client: The client's id.
        tool: The client's name of its tool.
        given: What the tool is called with.

    Returns:
        The edits, as `allow_edit` takes them; none of a tool that edits no files.

    Raises:
        Unclear: The tool edits files, and this is not understood.
    """
    name = tool.lower()
    if name in {"apply_patch", "patch"}:
        return _patched(_said(client, given, "patch"))
    if client == "codex" and name == _SHELL:
        return _patched_by_shell(given)
    if name == "notebookedit":
        return [{"path": _text(given, "notebook_path"), "unsupported": tool}]
    if name in {"write", "write_file"}:
        return [{"path": _said(client, given, "path"), "content": _said(client, given, "content")}]
    if name in {"edit", "replace", "multiedit"}:
        edits = given.get("edits") if name == "multiedit" else [given]
        if not isinstance(edits, list) or not all(isinstance(edit, dict) for edit in edits):
            raise Unclear
        return [_replaced(client, _said(client, given, "path"), edits)]
    return []


def _replaced(client: str, path: str, edits: "list[dict[str, Any]]") -> "dict[str, Any]":
    """Return one file, in which texts are replaced. An empty text to look for stands for the whole file."""
    steps = []
    for edit in edits:
        expected = edit.get("expected_replacements") if client == "gemini" else None
        everywhere = any(edit.get(key) in (True, "true") for key in _EVERYWHERE.get(client, ()))
        every = everywhere or (isinstance(expected, int) and expected > 1)
        steps.append({"old": _said(client, edit, "old"), "new": _said(client, edit, "new"), "all": every})
    if len(steps) == 1 and not steps[0]["old"]:
        whole = {"path": path, "content": steps[0]["new"]}
        return whole if client == "opencode" else {**whole, "new": True}
    if not steps or not all(step["old"] for step in steps):
        raise Unclear
    return {"path": path, "replace": steps}


def _patched(patch: str) -> "list[dict[str, Any]]":
    """Return the files of a patch in the form of `*** Begin Patch`.

    Clients forgive blanks around these lines, not all of them in the same places. Where that could matter, the files
    are named and what is done to them is not guessed.
    """
    edits: list[dict[str, Any]] = []
    certain = True
    for line in (ended.removesuffix("\r") for ended in patch.split("\n")):
        marked = line.strip()
        begins = next((mark for mark in _PATCH_BEGINS if marked.startswith(mark)), None)
        moves = marked.startswith(_PATCH_MOVES)
        if begins is not None:
            path = marked[len(begins) :]
            certain = certain and line == begins + path.strip()
            edits.append({"path": path.strip(), "kind": begins, "lines": []})
        elif moves and edits:
            path = marked[len(_PATCH_MOVES) :]
            first = edits[-1]["kind"] == _PATCH_BEGINS[1] and not edits[-1]["lines"] and "to" not in edits[-1]
            certain = certain and first and line == _PATCH_MOVES + path.strip()
            edits[-1]["to"] = path.strip()
        elif edits and marked != "*** End Patch":
            edits[-1]["lines"].append(line)
    if not edits:
        raise Unclear
    return [_patched_file(edit) if certain else _unsupported(edit, "This form of a patch") for edit in edits]


def _patched_file(edit: "dict[str, Any]") -> "dict[str, Any]":
    """Return one file of a patch, as `allow_edit` takes it."""
    kind, lines = edit["kind"], edit["lines"]
    named: dict[str, Any] = {key: edit[key] for key in ("path", "to") if key in edit}
    if kind == _PATCH_BEGINS[0]:
        added = [line[1:] for line in lines if line.startswith("+")]
        return {**named, "content": "".join(f"{line}\n" for line in added)}
    return {**named, "delete": True} if kind == _PATCH_BEGINS[2] else {**named, "patch": "\n".join(lines)}


def _unsupported(edit: "dict[str, Any]", what: str) -> "dict[str, Any]":
    """Return one file of which it is not known what will be done to it."""
    return {key: edit[key] for key in ("path", "to") if key in edit} | {"unsupported": what}


def _patched_by_shell(given: "dict[str, Any]") -> "list[dict[str, Any]]":
    """Return the files of a patch given to a shell, which Codex carries out as its own; none without a patch.

    That is a script which does nothing else, but for going to a folder first. Where it may do more, the files are named
    and what is done to them is not guessed.
    """
    words = given.get("command")
    script = " ".join(map(str, words)) if isinstance(words, list) else str(words)
    begins = script.find("*** Begin Patch")
    before = script[: max(begins, 0)]
    if not any(name in before for name in _SHELL_PATCH):
        return []
    edits = _patched(script[begins:].rpartition("*** End Patch")[0] or script[begins:])
    first, _, second = before.rpartition("&&")
    goes = first.strip()
    alone = second.split("<<")[0].strip() in _SHELL_PATCH and (not goes or goes.startswith("cd "))
    folder = goes.removeprefix("cd ").strip().strip("'\"") if alone else ""
    for at, edit in enumerate(edits):
        known = edit if alone else _unsupported(edit, "A patch among other commands")
        named = {key: os.path.join(folder, edit[key]) for key in ("path", "to") if key in edit}
        edits[at] = known | named
    return edits


def _said(client: str, given: "dict[str, Any]", argument: str) -> str:
    """Return an argument by the name that the client has for it. Raises Refused where another name is there as well."""
    names = _NAMES[argument]
    mine = names.get(client, "")
    others = {*names.values(), *_OTHER_NAMES.get(argument, ())} - {mine}
    if mine in given and not others.isdisjoint(given):
        raise Refused(f"This call names one thing twice: {mine} and {min(others & given.keys())}. Give {mine} alone")
    return _text(given, mine)


def _text(given: "dict[str, Any]", name: str) -> str:
    found = given.get(name)
    if not isinstance(found, str):
        raise Unclear
    return found


def chains(spelled: str, folder: str) -> "list[FolderChain]":
    """Return every absolute path that a client's spelling may mean, links followed and not, each with those above.

    Args:
        spelled: The path as the client has it.
        folder: The folder that it works in.

    Raises:
        Refused: It can be no path.
    """
    meant = [spelled]
    if spelled.startswith("~"):
        meant.append(os.path.expanduser(spelled))
    if os.name == "nt" and spelled[:1] == spelled[2:3] == "/" and spelled[1].isalpha():
        meant.append(f"{spelled[1]}:{spelled[2:]}")  # as the shells have it that come with Git
    try:
        wholes = [os.path.join(folder, one) for one in meant]
        found = dict.fromkeys(path for whole in wholes for path in (os.path.realpath(whole), os.path.abspath(whole)))
    except (ValueError, OSError):
        raise Refused("This can be no path") from None
    return [FolderChain(path) for path in found]


class FolderChain:
    """A path with the folders above it.

    Folders are known by what they are, so neither case nor a link nor a second mount makes another one of them.

    Args:
        path: The path, absolute.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._steps: list[tuple[str, tuple[int, int] | None, str]] = []
        rest: list[str] = []
        while True:
            self._steps.append((os.path.normcase(path), _identity(path), "/".join(reversed(rest))))
            above, name = os.path.split(path)
            if above == path:
                return
            rest.append(name)
            path = above

    def below(self, top: str) -> "str | None":
        """Return the path from a folder on, with slashes, empty for the folder itself; None where it is not there."""
        wanted, there = os.path.normcase(top), _identity(top)
        for path, identity, rest in self._steps:
            if path == wanted or (there is not None and identity == there):
                return rest
        return None

    def is_named(self, name: str) -> bool:
        """Return whether the path, or a folder above it, ends in this name: one or more parts, perhaps with a *."""
        import fnmatch  # noqa: PLC0415 - only where names are guarded

        whole = self._path.replace(os.sep, "/").casefold()
        return any(fnmatch.fnmatchcase(whole, f"*/{name.casefold()}{below}") for below in ("", "/*"))

    def linked_below(self, top: str) -> "str | None":
        """Return the path from a folder on of another name of this file, a hard link; None where it has none there."""
        try:
            state = os.stat(self._path)
        except (OSError, ValueError):
            return None
        if state.st_nlink <= 1 or stat.S_ISDIR(state.st_mode):
            return None
        for folder, _folders, names in os.walk(top):
            for name in names:
                path = os.path.join(folder, name)
                if _identity(path) == (state.st_dev, state.st_ino):
                    return os.path.relpath(path, top).replace(os.sep, "/")
        return None


def _identity(path: str) -> "tuple[int, int] | None":
    try:
        state = os.stat(path)
    except (OSError, ValueError):
        return None
    return (state.st_dev, state.st_ino)


def in_vault(edits: "list[dict[str, Any]]", configuration: "dict[str, Any]", folder: str) -> "list[dict[str, Any]]":
    """Return the edits of files in the vault, with their paths in it.

    Args:
        edits: From `edits_of`.
        configuration: The hook's.
        folder: The folder that the client works in.

    Raises:
        Refused: One is of a file by which the vault is protected, or can be no path.
    """
    found = []
    for edit in edits:
        named = [key for key in ("path", "to") if key in edit]
        inside = {key: place for key in named if (place := _place(edit[key], configuration, folder)) is not None}
        if inside and len(inside) < len(named) and "unsupported" not in edit:
            raise Refused("A file cannot be moved into the vault or out of it in this way. Use Vault Bridge's tools")
        found += [dict(edit, **inside)] if inside else []
    return found


def _place(spelled: str, configuration: "dict[str, Any]", folder: str) -> "str | None":
    """Return the path in the vault that a client's spelling means; None where it means none."""
    meant = chains(spelled, folder)
    guarded = configuration["guarded"]
    names = configuration.get("guardedNames", ())
    for chain in meant:
        if any(chain.below(one) is not None for one in guarded) or any(map(chain.is_named, names)):
            raise Refused(_GUARDED)
    vault = configuration["vault"]
    for chain in meant:
        if (place := chain.below(vault)) is not None:
            return place or "."
    for chain in meant:
        if any(chain.linked_below(one) is not None for one in guarded if os.path.isdir(one)):
            raise Refused(_GUARDED)
        if (place := chain.linked_below(vault)) is not None:
            return place
    return None


_GUARDED: "Final" = "This file is a part of what protects the user's vault. Only the user changes it"


def touches(given: "Any", configuration: "dict[str, Any]", folder: str) -> bool:
    """Return whether something unclear may be about the vault: it works there, or names a place there."""
    texts = [text for text in given.values() if isinstance(text, str)] if isinstance(given, dict) else []
    for text in [".", *(text for text in texts if len(text) < _LONGEST_PATH and "\n" not in text)]:
        try:
            if _place(text, configuration, folder) is not None:
                return True
        except Refused:
            return True
    return False


def endpoint(configuration: "dict[str, Any]") -> "tuple[str, int]":
    """Return where the bridge of the vault listens.

    Raises:
        NoBridge: Nobody serves it.
    """
    vault = configuration["vault"]
    places = [configuration["endpoint"]]
    try:
        claim = _json(os.path.join(vault, ".vault-bridge", "bridge.json"))
        places.append(os.path.join(claim["runDir"], "agent.json"))
    except (OSError, ValueError, KeyError, TypeError):
        pass
    for place in places:
        try:
            found = _json(place)
            mine = not hasattr(os, "geteuid") or os.stat(place).st_uid == os.geteuid()
            address, _, port = found["http"].removeprefix("http://").partition(":")
            same = os.path.normcase(found["vault"]) == os.path.normcase(vault)
            if mine and same and address == "127.0.0.1":
                return address, int(port)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue
    raise NoBridge


def ask(configuration: "dict[str, Any]", edits: "list[dict[str, Any]]", seconds: "Callable[[], float]") -> None:
    """Return when the person has said yes.

    Args:
        configuration: The hook's.
        edits: Of files in the vault.
        seconds: How long there is still time.

    Raises:
        NoBridge: Nobody serves the vault.
        Refused: The person said no, or nothing in time.
    """
    import socket  # noqa: PLC0415 - only now, as most changes are of files elsewhere

    address = endpoint(configuration)
    try:
        with open(configuration["token"], encoding="ascii") as file:
            token = file.read().strip()
    except (OSError, ValueError):
        raise Refused(f"{_PREFIX} its credential is missing. The user can run `vault-bridge protect` again") from None
    call = {"name": TOOL, "arguments": {"edits": edits}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools.call", "params": call}).encode()
    if len(body) > LARGEST:
        raise Refused("This change is too large to be shown to the user. Make it in smaller parts")
    head = (
        f"POST /rpc HTTP/1.1\r\nHost: {address[0]}:{address[1]}\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    try:
        connection = socket.create_connection(address, CONNECT_SECONDS)
    except TimeoutError:
        raise Refused(f"{_PREFIX} the bridge is too busy to answer. Try again") from None
    except OSError:
        raise NoBridge from None
    received = bytearray()
    try:
        with connection:
            connection.settimeout(seconds())
            connection.sendall(head.encode("ascii") + body)
            while part := connection.recv(1 << 16):
                received += part
                connection.settimeout(max(seconds(), 0.001))
    except OSError:
        if seconds() <= 1:
            raise Refused(LATE) from None
    _read_answer(bytes(received))


_PREFIX: "Final" = "Vault Bridge cannot ask the user about this:"
LATE: "Final" = "The user has not answered yet, so this change of their vault is refused. Ask them, then try again"


def _read_answer(received: bytes) -> None:
    """Return where an answer says yes. Raises Refused: whatever else has answered, it was no yes."""
    head, _, body = received.partition(b"\r\n\r\n")
    status = head.split(b" ", 2)[1:2]
    if not received:
        raise Refused(f"{_PREFIX} the bridge has just stopped. Try again")
    if status in ([b"401"], [b"403"]):
        raise Refused(f"{_PREFIX} its credential was revoked. The user can run `vault-bridge protect` again")
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        answer = None
    result = answer.get("result") if isinstance(answer, dict) else None
    if not isinstance(result, dict):
        fault = answer.get("error") if isinstance(answer, dict) else None
        why = fault.get("message") if isinstance(fault, dict) else None
        raise Refused(f"{_PREFIX} {why or 'the bridge does not answer as expected. The user can start it anew'}")
    if result.get("success") is not True:
        data = result.get("data")
        late = isinstance(data, dict) and data.get("code") == "timed_out"
        raise Refused(LATE if late else str(result.get("error") or "The user does not allow this change"))


def decide(configuration: "dict[str, Any]", event: bytes, seconds: "Callable[[], float]") -> "bool | None":
    """Return the answer to an event of the client.

    Args:
        configuration: The hook's.
        event: What the client has sent.
        seconds: How long there is still time.

    Returns:
        True where the person allows it, None where nothing is said.

    Raises:
        Refused: It is refused.
    """
    if len(event) > LARGEST_EVENT:
        raise Refused("This change is too large to be looked at. Make it in smaller parts")
    tool, given, folder = _read_event(event)
    try:
        edits = in_vault(edits_of(configuration["client"], tool, given), configuration, folder)
    except Unclear:
        if touches(given, configuration, folder):
            raise Refused(f"{_PREFIX} this form of an edit is not known to it. Use Vault Bridge's tools") from None
        return None
    if not edits:
        return None
    if configuration["edits"] == "refuse":
        raise Refused("The user lets files of this vault be changed by Vault Bridge's tools only. Use those")
    unsupported = next((edit["unsupported"] for edit in edits if "unsupported" in edit), None)
    if unsupported is not None:
        raise Refused(f"{unsupported} cannot be shown to the user as a diff. Use another tool for files of this vault")
    try:
        ask(configuration, edits, seconds)
    except NoBridge:
        if configuration["withoutBridge"] == "refuse":
            raise Refused("Vault Bridge does not run, and without it this vault is not changed. Ask the user") from None
        return None
    return True


def _read_event(event: bytes) -> "tuple[str, dict[str, Any], str]":
    """Return the tool, what it is called with, and the folder that the client works in."""
    try:
        sent = json.loads(event)
        tool, given, folder = sent["tool_name"], sent["tool_input"], sent.get("cwd")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise Refused(f"{_PREFIX} what was sent to it cannot be read") from None
    if not isinstance(tool, str) or not isinstance(given, dict):
        raise Refused(f"{_PREFIX} what was sent to it cannot be read")
    return tool, given, folder if isinstance(folder, str) and os.path.isabs(folder) else os.getcwd()


def _json(path: str) -> "Any":
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def _write(to: int, text: str) -> None:
    data = text.encode("utf-8", "replace")
    try:
        while data:
            data = data[os.write(to, data) :]
    except OSError:
        pass  # nobody reads it any more


def _read_all(to: int) -> bytes:
    received = bytearray()
    while len(received) <= LARGEST_EVENT and (part := os.read(to, 1 << 16)):
        received += part
    return bytes(received)


def main() -> "NoReturn":
    """Answer one event."""
    began = time.monotonic()
    try:
        configuration = _json(sys.argv[1])
        client, limit = configuration["client"], float(configuration["seconds"])
    except (IndexError, OSError, ValueError, KeyError, TypeError):
        _write(2, f"{_PREFIX} its configuration is missing. The user can run `vault-bridge protect` again")
        os._exit(BLOCK)
    answer = Answer(client)

    def seconds() -> float:
        return limit - (time.monotonic() - began)

    def watch() -> None:
        time.sleep(max(seconds(), 0))
        answer.give(allowed=False, reason=LATE)

    _thread.start_new_thread(watch, ())
    try:
        allowed = decide(configuration, _read_all(0), seconds)
    except Refused as refused:
        answer.give(allowed=False, reason=str(refused))
    except BaseException as error:  # noqa: BLE001 - whatever it is: an answer is given
        answer.give(allowed=False, reason=f"{_PREFIX} it failed ({type(error).__name__})")
    answer.give(allowed)


if __name__ == "__main__":
    main()
