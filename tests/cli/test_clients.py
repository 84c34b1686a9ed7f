"""Programs with a name and a token of their own: added, listed, renamed, widened and revoked at the command line."""

import json
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import keyring
import keyring.backend
import keyring.errors
import pytest
from keyring.core import load_keyring
from typer.testing import CliRunner, Result

from bridge.cli.main import app
from bridge.client import token_storage

pytestmark = pytest.mark.slow

Terminal = Callable[..., Any]
Command = Callable[..., Result]
TOKEN = r"vb_[0-9a-f]{12}_[\w-]{43}"


class Ring(keyring.backend.KeyringBackend):
    """A keyring in memory."""

    priority = 1.0

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        if self.kept.pop((service, username), None) is None:
            raise keyring.errors.PasswordDeleteError("there is none")


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The user's configuration is this folder, and there is no keyring."""
    monkeypatch.setenv(token_storage.CONFIG_VARIABLE, str(tmp_path / "config"))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    monkeypatch.setenv("COLUMNS", "200")
    before = keyring.get_keyring()
    keyring.set_keyring(load_keyring("keyring.backends.fail.Keyring"))
    yield tmp_path / "config"
    keyring.set_keyring(before)


@pytest.fixture
def ring() -> Ring:
    """A keyring that works; it is gone with the fixture before."""
    ring = Ring()
    keyring.set_keyring(ring)
    return ring


@pytest.fixture
def run(served: Any) -> Command:
    """Runs `vault-bridge` on the served vault."""

    def run(*words: str, code: int = 0) -> Result:
        result = CliRunner().invoke(app, [*words, "--vault", str(served.vault)])
        assert result.exit_code == code, result.output
        return result

    return run


def token_files(config: Path) -> list[Path]:
    return [path for path in config.rglob("*") if path.is_file()]


def everything_below(*folders: Path) -> bytes:
    return b"\n".join(path.read_bytes() for folder in folders for path in folder.rglob("*") if path.is_file())


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are POSIX")
def test_a_token_is_shown_once_and_is_nowhere_else(served: Any, terminal: Terminal, run: Command, config: Path) -> None:
    screen = terminal("clients", "add", "Claude Code", "--vault", str(served.vault))
    assert screen.end() == 0
    seen = screen.text()
    (token,) = re.findall(TOKEN, seen)
    assert "It is shown only now" in seen
    assert token not in run("clients", "list").output + run("clients", "list", "--json").output
    assert token not in run("log", "--json").output
    assert token.encode() not in everything_below(served.vault, Path(os.environ["VAULT_BRIDGE_STATE"]))
    assert token_files(config) == []


def test_a_client_works_in_drafts_or_no_longer_as_the_person_says(run: Command) -> None:
    def works_in_drafts() -> list[bool]:
        return [client["drafts"] for client in json.loads(run("clients", "list", "--json").stdout)]

    run("clients", "add", "Day")
    run("clients", "add", "Night", "--drafts")
    assert works_in_drafts() == [False, True]
    assert run("clients", "list").output.count("work in drafts") == 1
    assert "Day works in drafts from now on." in run("clients", "update", "Day", "--drafts").output
    assert "Night asks about each change from now on." in run("clients", "update", "Night", "--no-drafts").output
    assert works_in_drafts() == [True, False]


def test_a_saved_token_is_in_a_file_for_this_user_alone(run: Command, config: Path) -> None:
    said = run("clients", "add", "Claude Code", "--save").output
    (file,) = token_files(config)
    token = file.read_text(encoding="ascii")
    assert token.startswith("vb_")
    assert token not in said
    assert "Claude" not in str(file.relative_to(config))
    if os.name != "nt":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_a_token_goes_into_the_keyring_and_is_found_moved_and_removed_there(
    run: Command, ring: Ring, config: Path, served: Any
) -> None:
    said = run("clients", "add", "Claude Code", "--keyring").output
    (token,) = ring.kept.values()
    assert "keyring" in said
    assert token not in said
    assert token_files(config) == []
    run("clients", "rename", "Claude Code", "Work")
    assert token_storage.find_token(served.vault.resolve(), "Work") == token
    run("clients", "revoke", "Work")
    assert ring.kept == {}


def test_without_a_keyring_the_token_is_shown_for_it_cannot_be_had_again(run: Command) -> None:
    said = run("clients", "add", "Claude Code", "--keyring", code=1).output
    assert "The client was added, but its token could not be kept" in said
    assert "vb_" in said


def test_for_programs_the_client_and_its_token_are_json(run: Command, config: Path) -> None:
    added = json.loads(run("clients", "add", "Robot", "--json").stdout)
    assert added["client"]["capabilities"] == ["call"]
    assert added["token"].startswith("vb_")
    saved = json.loads(run("clients", "add", "Other", "--save", "--json").stdout)
    assert saved["kept"] == str(token_files(config)[0])
    assert "token" not in saved
    assert [client["name"] for client in json.loads(run("clients", "list", "--json").stdout)] == ["Robot", "Other"]


@pytest.mark.parametrize("name", ["robot", "ROBOT", "\uff32obot"])
def test_a_name_that_is_taken_is_refused_however_it_is_spelled(run: Command, name: str) -> None:
    run("clients", "add", "Robot")
    assert "There is a client called 'Robot' already" in run("clients", "add", name, code=1).output
    run("clients", "add", "Other")
    assert "There is a client called 'Robot' already" in run("clients", "rename", "Other", name, code=1).output


@pytest.mark.parametrize("words", [["revoke"], ["rename"], ["allow"]])
def test_an_unknown_client_is_refused_with_where_to_look(run: Command, words: list[str]) -> None:
    more = {"rename": ["Other"], "allow": ["answer"]}.get(words[0], [])
    assert "`vault-bridge clients list`" in run("clients", *words, "Nobody", *more, code=1).output


def test_a_list_of_none_says_how_to_add_one(run: Command) -> None:
    assert "vault-bridge clients add NAME" in run("clients", "list").output


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are POSIX")
@pytest.mark.parametrize("columns", [30, 40, 80, 120])
def test_the_table_fits_every_screen(served: Any, terminal: Terminal, run: Command, columns: int) -> None:
    run("clients", "add", "A program with quite a long name")
    screen = terminal("clients", "list", "--vault", str(served.vault), columns=columns)
    assert screen.end() == 0
    text = " ".join(screen.text().split())
    assert "quite a long" in text
    assert "never" in text
    assert all(len(line) <= columns for line in screen.text().splitlines())


def test_a_call_as_a_client_is_shown_by_the_name_that_the_person_gave(run: Command, served: Any) -> None:
    run("clients", "add", "Claude Code", "--save")
    words = ("call", "grep", "pattern=TODO", "--client", "claude code", "--wait", "0")
    assert run(*words, code=1).output.count("Nobody has decided yet") == 1
    (question,) = served.pending(1)
    assert (question["client"], question["verified"]) == ("Claude Code", True)


def test_two_connections_of_a_client_are_one_session(run: Command, served: Any) -> None:
    run("clients", "add", "Robot", "--save")
    words = ("call", "grep", "pattern=TODO", "--client", "Robot", "--wait", "0", "--call-id", "mine")
    run(*words, code=1)
    (question,) = served.pending(1)
    served.host("consent.respond", requestId=question["requestId"], decision="allow_session")
    assert "TODO: call Ada" in run("call", "--call-id", "mine", "--client", "Robot").output
    assert "TODO: call Ada" in run("call", "grep", "pattern=TODO", "--client", "Robot").output
    assert "no call 'mine'" in run("call", "--call-id", "mine", code=1).output  # nobody else's


def test_a_single_call_is_offered_no_answer_for_a_session_that_ends_with_it(run: Command, served: Any) -> None:
    run("clients", "add", "Robot", "--save")
    for words in ((), ("--client", "Robot")):
        run("call", "grep", "pattern=TODO", "--wait", "0", *words, code=1)
    unnamed, named = sorted(served.pending(2), key=lambda question: bool(question["verified"]))
    assert "allow_session" not in unnamed["choices"]
    assert "allow_once" in unnamed["choices"]
    assert "allow_session" in named["choices"]


def test_without_a_token_no_other_one_is_used(run: Command, served: Any) -> None:
    run("clients", "add", "Robot")  # its token is not kept here
    for name in ("Robot", "Nobody"):
        refused = run("call", "grep", "pattern=TODO", "--client", name, code=1).output
        assert f"There is no token for '{name}' on this machine" in refused
        assert "vault-bridge clients add" in refused
    served.pending(0)


def test_a_revoked_client_is_refused_and_nothing_is_used_instead(run: Command, served: Any) -> None:
    run("clients", "add", "Robot", "--save")
    token = token_storage.find_token(served.vault.resolve(), "Robot")
    assert "Its token is not valid any more" in run("clients", "revoke", "Robot").output
    assert "There is no token for 'Robot'" in run("call", "grep", "pattern=TODO", "--client", "Robot", code=1).output
    token_storage.save_to_file(served.vault.resolve(), "Robot", token)  # somebody kept a copy
    refused = run("call", "grep", "pattern=TODO", "--client", "Robot", code=1).output
    assert "The token of 'Robot' is not valid any more" in refused
    assert token not in refused
    served.pending(0)


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX")
def test_a_token_file_that_others_can_read_is_not_used(run: Command, config: Path) -> None:
    run("clients", "add", "Robot", "--save")
    token_files(config)[0].chmod(0o644)
    assert "can be read by others" in run("call", "grep", "pattern=TODO", "--client", "Robot", code=1).output


def test_a_renamed_client_keeps_its_token_under_the_new_name(run: Command, served: Any) -> None:
    run("clients", "add", "Robot", "--save")
    assert "called Work from now on" in run("clients", "rename", "robot", "Work").output
    run("call", "grep", "pattern=TODO", "--client", "Work", "--wait", "0", code=1)
    assert served.pending(1)[0]["client"] == "Work"
    assert "There is no token for 'Robot'" in run("call", "grep", "pattern=x", "--client", "Robot", code=1).output


def test_a_client_may_not_do_more_while_nobody_can_be_asked(run: Command) -> None:
    run("clients", "add", "Robot")
    assert "nobody could be asked" in run("clients", "allow", "Robot", "answer", code=1).output
    (client,) = json.loads(run("clients", "list", "--json").stdout)
    assert client["capabilities"] == ["call"]


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are POSIX")
@pytest.mark.parametrize(("key", "said"), [("y", "Robot may now: call, answer."), ("n", "does not let Robot")])
def test_a_client_may_do_more_after_a_yes_on_a_screen(served: Any, terminal: Terminal, key: str, said: str) -> None:
    vault = ("--vault", str(served.vault))
    assert terminal("clients", "add", "Robot", *vault).end() == 0
    screen = terminal("approve", *vault)
    screen.see("Waiting for questions")
    asking = terminal("clients", "allow", "Robot", "answer", *vault)
    screen.see("Your answer", after="answer the questions of other programs")
    screen.type(f"{key}\r")
    asking.end()
    assert said in " ".join(asking.text().split())


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are POSIX")
def test_an_answer_for_one_folder_and_every_program_is_chosen_and_listed(
    served: Any, terminal: Terminal, run: Command
) -> None:
    run("clients", "add", "Robot", "--save")
    run("call", "read", "path=Notes/Meeting.md", "--client", "Robot", "--wait", "0", code=1)
    screen = terminal("approve", "--vault", str(served.vault))
    assert "Asked by    Robot, calls itself Command line" in screen.see("Your answer")
    (question,) = served.pending(1)
    longer = [option for option in question["options"] if not option["decision"].endswith("once")]
    (place,) = (
        place
        for place, option in enumerate(longer, 1)
        if (option["decision"], option["who"], option["where"]) == ("allow_always", "everyone", ["Notes/"])
    )
    screen.type("w\r")
    seen = " ".join(screen.see("Which one?").split())
    for option in longer:
        assert option["label"] in seen
        assert option["sentence"] in seen
    screen.type(f"{place}\r")
    screen.see("anything else goes back")
    screen.type("y\r")
    screen.see("takes it back")
    (grant,) = json.loads(run("policy", "grants", "--json").stdout)
    assert (grant["kind"], grant["where"], grant["what"]) == ("file", ["Notes/"], "reading")
    assert grant["sentence"] == longer[place - 1]["sentence"]
    assert grant["sentence"].startswith("Any program may read every note in the folder Notes/")
    assert grant["sentence"] in " ".join(run("policy", "grants").output.split())


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are POSIX")
def test_always_is_for_the_one_client_and_the_list_of_answers_says_so(
    served: Any, terminal: Terminal, run: Command
) -> None:
    run("clients", "add", "Robot", "--save")
    run("call", "read", "path=Ideas.md", "--client", "Robot", "--wait", "0", code=1)
    screen = terminal("approve", "--vault", str(served.vault))
    screen.see("Your answer")
    screen.type("a\r")
    screen.see("Robot may use Read without asking", after="Your answer")
    screen.type("y\r")
    screen.see("takes it back")
    assert "# Ideas" in run("call", "read", "path=Ideas.md", "--client", "Robot").output
    (row,) = [line for line in run("policy", "grants").output.splitlines() if "allowed" in line]
    assert "Robot" in row
    run("clients", "revoke", "Robot")
    assert "Nothing has been allowed" in run("policy", "grants").output


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are POSIX")
def test_always_for_a_program_without_a_name_is_for_no_client_with_one(
    served: Any, terminal: Terminal, run: Command
) -> None:
    run("clients", "add", "Robot", "--save")
    run("call", "read", "path=Ideas.md", "--name", "Robot", "--wait", "0", code=1)
    screen = terminal("approve", "--once", "--vault", str(served.vault))
    screen.see("Your answer")
    screen.type("a\r")
    screen.see("Programs without a name of their own may use Read without asking", after="Your answer")
    screen.type("y\r")
    assert screen.end() == 0
    assert "Programs without a name of their own may use Read" in run("policy", "grants").output
    assert "# Ideas" in run("call", "read", "path=Ideas.md", "--name", "Other").output
    run("call", "read", "path=Ideas.md", "--client", "Robot", "--wait", "0", code=1)
    assert served.pending(1)[0]["client"] == "Robot"


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are POSIX")
def test_a_program_that_calls_itself_like_a_client_is_shown_as_unnamed(
    served: Any, terminal: Terminal, run: Command
) -> None:
    run("clients", "add", "Robot")
    run("call", "grep", "pattern=TODO", "--name", "Robot", "--wait", "0", code=1)
    screen = terminal("approve", "--vault", str(served.vault))
    seen = " ".join(screen.see("Your answer").split())
    assert "Asked by a program without a name of its own, calls itself Robot (unverified)" in seen
    assert "Allow for session" not in seen, "it has disconnected already"


def test_a_client_has_the_tools_for_models_unless_another_preset_is_chosen(run: Command) -> None:
    run("clients", "add", "Robot", "--save")
    run("clients", "add", "Reader", "--preset", "minimal")
    presets = [client["preset"] for client in json.loads(run("clients", "list", "--json").stdout)]
    assert presets == ["agent", "minimal"]
    assert "preset vault now" in run("clients", "update", "robot", "--preset", "vault").output
    assert "vault" in run("clients", "list").stdout
    run("clients", "update", "Robot", "--preset", "all", code=2)


def test_a_client_keeps_its_token_when_only_the_case_of_its_name_changes(run: Command, served: Any) -> None:
    run("clients", "add", "robot", "--save")
    run("clients", "rename", "robot", "Robot")
    run("call", "grep", "pattern=TODO", "--client", "Robot", "--wait", "0", code=1)
    assert served.pending(1)[0]["client"] == "Robot"


def test_a_client_that_is_renamed_by_its_id_keeps_its_token(run: Command, served: Any) -> None:
    added = json.loads(run("clients", "add", "Robot", "--save", "--json").stdout)
    run("clients", "rename", added["client"]["clientId"], "Work")
    run("call", "grep", "pattern=TODO", "--client", "Work", "--wait", "0", code=1)
    assert served.pending(1)[0]["client"] == "Work"


def test_a_token_file_that_cannot_be_read_is_said_to_be_so(run: Command, config: Path) -> None:
    run("clients", "add", "Robot", "--save")
    token_files(config)[0].write_bytes(b"\xff")
    said = run("call", "grep", "pattern=TODO", "--client", "Robot", code=1).output
    assert "cannot be read" in said
