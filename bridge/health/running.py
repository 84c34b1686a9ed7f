"""The bridge that serves the vault, if one does, and the files by which it is found."""

import http.client
import os
import socket
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from bridge.contract.discovery import AGENT_FILE, BRIDGE_FILE, HOST_FILE, STATE_FOLDER, Discovery, Endpoint
from bridge.health.finding import Finding
from bridge.records.folder import STATE_VARIABLE, place
from bridge.server.private_files import private_places

SECONDS = 5.0
STOP = "Stop that process and start again: `vault-bridge serve`"


def check_run_folder(vault: Path) -> Iterator[Finding]:
    """Check whether the folder of the tokens, and whatever else lies beside it, is this user's alone."""
    vault = Path(os.path.realpath(vault))
    folder = place(vault)
    if not folder.exists():
        above = next(path for path in folder.parents if path.exists())
        if not os.access(above, os.W_OK):
            remedy = f"Give yourself the right to write there, or name another folder with {STATE_VARIABLE}"
            yield Finding("run folder", "fail", f"No vault can be served: {above} cannot be written", remedy)
            return
        yield Finding("run folder", "ok", "No run folder yet; the first start makes it")
        return
    found = [fault for path in private_places(vault) if (fault := _open_to_others(path))]
    for what, remedy in found:
        yield Finding("run folder", "fail", what, remedy)
    if not found:
        yield Finding("run folder", "ok", str(folder))


def check_bridge(vault: Path) -> Iterator[Finding]:
    """Check whether a bridge runs, answers, and is the one that the files speak of."""
    file = vault / STATE_FOLDER / BRIDGE_FILE
    try:
        discovery = Discovery.model_validate_json(file.read_bytes())
        port = int(discovery.http.rsplit(":", 1)[-1])
    except FileNotFoundError:
        yield from _left_over(vault)
        yield Finding("bridge", "ok", "No bridge serves this vault")
        yield from check_port()
        return
    except (OSError, ValueError):
        yield Finding("bridge", "fail", f"{BRIDGE_FILE} cannot be read", f"Remove {file} and start the bridge again")
        return
    health = _ask(port, "GET", "/health")
    if health is None or not health.get("ok"):
        if _alive(discovery.pid):
            yield Finding("bridge", "fail", f"Process {discovery.pid} does not answer on port {port}", STOP)
        else:
            what = f"{BRIDGE_FILE} is left over from process {discovery.pid}, which has ended"
            yield Finding("bridge", "warn", what, "The next `vault-bridge serve` replaces it")
        return
    yield Finding("bridge", "ok", f"Version {health.get('version')} answers on port {port} (process {discovery.pid})")
    yield from _tokens(discovery, port)


def check_port() -> Iterator[Finding]:
    """Check whether a port can be opened on this machine."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            probe.bind(("127.0.0.1", 0))
    except OSError as error:
        what = f"No port on 127.0.0.1 can be opened: {error.strerror}"
        yield Finding("port", "fail", what, "Allow programs to listen on this machine; look at its firewall")
    else:
        yield Finding("port", "ok", "A port on 127.0.0.1 can be opened")


def _tokens(discovery: Discovery, port: int) -> Iterator[Finding]:
    """Check whether the token files belong to the running bridge, and what it says of itself."""
    for name in (AGENT_FILE, HOST_FILE):
        try:
            endpoint = Endpoint.model_validate_json((Path(discovery.run_dir) / name).read_bytes())
        except (OSError, ValueError):
            yield Finding("tokens", "fail", f"{name} is missing or cannot be read", STOP)
            return
        if endpoint.url != discovery.url or _call(port, endpoint.token, "ping") != "pong":
            yield Finding("tokens", "fail", f"{name} is not of the bridge that runs", STOP)
            return
    yield Finding("tokens", "ok", "Both tokens are taken")
    answer = _call(port, endpoint.token, "bridge.faults")
    for fault in answer["faults"] if isinstance(answer, dict) else ():
        yield Finding("bridge", "warn", fault, "It goes on with what was in force before; correct the file")
    status = _call(port, endpoint.token, "vault.status")
    yield from _given_up(status)
    if isinstance(status, dict):
        yield _semantic(status["semantic"])
    yield from _servers(_call(port, endpoint.token, "servers.list"))
    report = _call(port, endpoint.token, "audit.verify")
    if not isinstance(report, dict):
        yield Finding("log", "warn", "The log could not be verified", "`vault-bridge log --verify` says why")
    elif not report["whole"]:
        what = f"The log is not as it was written: {report['faultCount']} places"
        yield Finding("log", "fail", what, "`vault-bridge log --verify` names them; somebody or something edited it")
    else:
        yield Finding("log", "ok", f"{report['records']} records, the log is whole")


def _given_up(status: Any) -> Iterator[Finding]:
    """Yield the notes that the index has given up."""
    if not isinstance(status, dict):
        yield Finding("index", "warn", "What is known of the vault could not be asked", STOP)
    elif count := status["byNameOnly"]:
        named = ", ".join(map(repr, status["namedOnly"]))
        more = f" and {count - len(status['namedOnly'])} more" if count > len(status["namedOnly"]) else ""
        what = f"Known by name only, without links, tags and properties: {named}{more}"
        remedy = "Split notes that are nested very deeply or hold very many links; give yourself the right to read them"
        yield Finding("index", "warn", what, remedy)
    elif status["indexing"]:
        yield Finding("index", "ok", f"It is being built: {status['indexed']} of {status['notes']} notes are read")
    else:
        yield Finding("index", "ok", f"{status['notes']} notes are read")


def _semantic(semantic: Mapping[str, Any]) -> Finding:
    """Report the progress of search by meaning."""
    state, what = semantic["state"], f"{semantic['done']} of {semantic['total']} notes are prepared"
    if state == "failed":
        remedy = "It is tried again; `vault-bridge rebuild` begins anew"
        return Finding("meaning", "warn", f"Search by meaning does not work: {semantic['reason']}", remedy)
    if state == "not_allowed":
        what = f"Search by meaning is set to a model at {semantic['endpoint']}, to which nobody has agreed"
        return Finding("meaning", "warn", what, "`vault-bridge rebuild` asks once; semanticModel chooses another model")
    if state == "missing":
        return Finding("meaning", "ok", "No model for search by meaning: the extra `semantic` is not installed")
    if state == "off":
        return Finding("meaning", "ok", "Search by meaning is off")
    return Finding("meaning", "ok", f"{what} for search by meaning" + (", paused" if state == "paused" else ""))


def _servers(listed: Any) -> Iterator[Finding]:
    """Yield the other servers that have failed, or whose tools are not as they were allowed."""
    for server in listed["servers"] if isinstance(listed, dict) else ():
        name = server["name"]
        if server["state"] == "failed":
            yield Finding("servers", "warn", server["reason"], f"`vault-bridge servers test {name}` tries again")
        if changed := [tool["name"] for tool in server["tools"] if (tool["change"] or "").startswith("@@")]:
            what = (
                f"The descriptions of these tools of {name} have changed since you allowed them: {', '.join(changed)}"
            )
            yield Finding("servers", "warn", what, f"`vault-bridge servers show {name}` shows the difference")


def _left_over(vault: Path) -> Iterator[Finding]:
    folder = place(Path(os.path.realpath(vault)))
    if left := [name for name in (AGENT_FILE, HOST_FILE) if (folder / name).exists()]:
        what = f"A bridge that was killed has left {', '.join(left)} in {folder}"
        yield Finding("run folder", "warn", what, "The next `vault-bridge serve` replaces them")


def _open_to_others(path: Path) -> tuple[str, str] | None:
    """Return what is wrong with who may read something that holds tokens, and the remedy."""
    state = path.lstat()
    if stat.S_ISLNK(state.st_mode):
        return f"{path} is a link", "Remove it"
    if hasattr(os, "geteuid") and state.st_uid != os.geteuid():
        return f"{path} belongs to another user", "Remove it, as that user or as root"
    if os.name == "posix" and stat.S_IMODE(state.st_mode) & (stat.S_IRWXG | stat.S_IRWXO):
        mode = 700 if stat.S_ISDIR(state.st_mode) else 600
        return f"Other users can read {path}", f"`chmod {mode} {path}`, and start the bridge again for new tokens"
    return None


def _alive(pid: int) -> bool:
    """Return whether a process runs; where that cannot be known, whether it may."""
    if os.name != "posix":
        return True  # there, signal 0 is Ctrl-C
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass  # it runs, as another user
    return True


def _call(port: int, token: str, method: str) -> Any:
    answer = _ask(port, "POST", "/rpc", token, {"jsonrpc": "2.0", "id": 1, "method": method})
    return answer.get("result") if answer else None


def _ask(port: int, verb: str, path: str, token: str | None = None, body: Any = None) -> dict[str, Any] | None:
    """Make one request to this machine, whatever proxies there are; None when nothing sensible answers."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    try:
        connection.request(verb, path, orjson.dumps(body) if body is not None else None, headers)
        answer = orjson.loads(connection.getresponse().read())
    except (OSError, http.client.HTTPException, orjson.JSONDecodeError):
        return None
    finally:
        connection.close()
    return answer if isinstance(answer, dict) else None
