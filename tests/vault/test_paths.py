"""The lexical gate: which strings become places in the vault."""

from pathlib import Path, PureWindowsPath
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.errors import InvalidParameters, PermissionDenied, ToolFailure
from bridge.vault.paths import VaultPath, check_new_name, parse_path, unsafe_name

VAULT = Path("/home/ada/Vault")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("Ideas.md", "Ideas.md"),
        ("Notes/Ideas.md", "Notes/Ideas.md"),
        ("./Notes/./Ideas.md", "Notes/Ideas.md"),
        ("Notes//Ideas.md", "Notes/Ideas.md"),
        ("Notes/", "Notes"),
        ("Notes/.hidden.md", "Notes/.hidden.md"),
        ("100%25/%2e%2e/x.md", "100%25/%2e%2e/x.md"),
        ("..a/b..c/...d", None),
        ("a..b.md", "a..b.md"),
        ("Ünï/日本.md", "Ünï/日本.md"),
        ("What?.md", "What?.md"),
        ("a|b*c.md", "a|b*c.md"),
        ("con-text/Console.md", "con-text/Console.md"),
        ("COM10.md", "COM10.md"),
        (" leading.md", " leading.md"),
        ("~/x", "~/x"),
        ("$HOME/x", "$HOME/x"),
    ],
)
def test_a_plain_path_is_taken_as_written(text: str, place: str | None) -> None:
    if place is None:
        with pytest.raises(PermissionDenied):  # `..a` starts with a dot, so it is a shut folder
            parse_path(text)
    else:
        assert str(parse_path(text)) == place


@pytest.mark.parametrize(
    "text",
    [
        "/etc/passwd",
        "/",
        "//server/share/x.md",
        r"\\server\share\x.md",
        r"\\?\C:\x.md",
        r"\\.\PhysicalDrive0",
        r"\x.md",
        "C:/x.md",
        r"C:\x.md",
        "c:x.md",
        "..",
        "../x.md",
        "Notes/../../x.md",
        "Notes/../x.md",
        "Notes/..",
        r"..\x.md",
        r"Notes\..\..\x.md",
    ],
)
def test_a_path_that_leads_outside_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(PermissionDenied) as caught:
        parse_path(text)
    assert caught.value.code == "outside_vault"
    assert "passwd" not in caught.value.message


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".",
        "./.",
        "a\x00.md",
        "a\nb.md",
        "a\tb.md",
        "a\x7fb.md",
        "a\x85b.md",
        r"Notes\Ideas.md",
        "note.md::$DATA",
        "Notes:stream/x.md",
        "note:b",
        "CON",
        "con.md",
        "Notes/nul",
        "NUL.tar.gz",
        "aux/x.md",
        "COM1",
        "lpt9.txt",
        "com¹.md",
        "CONIN$",
        "prn .md",
        "name.",
        "name ",
        "folder./x.md",
        "folder /x.md",
        "...",
        "Notes/... ",
        "a" * 256,
        "ü" * 128,
        "a/" * 2048 + "b",
        "lone\ud800surrogate.md",
    ],
)
def test_a_name_that_is_never_safe_is_refused(text: str) -> None:
    with pytest.raises(InvalidParameters):
        parse_path(text)


@pytest.mark.parametrize("text", [".obsidian/app.json", ".OBSIDIAN/x", "Notes/.git/config", ".vault-bridge/x", ".x/.y"])
def test_a_dot_folder_is_shut_and_the_message_names_it_as_seed_s_does(text: str) -> None:
    with pytest.raises(PermissionDenied) as caught:
        parse_path(text)
    assert caught.value.code == "protected"
    folder = next(part for part in text.split("/") if part.startswith("."))
    start = f"Access denied: Cannot access files in '{folder}/' directory (protected system folder)"
    assert caught.value.message.startswith(start)


def test_an_absolute_path_inside_the_vault_is_taken_when_the_vault_is_given() -> None:
    assert str(parse_path("/home/ada/Vault/Notes/x.md", vault=VAULT)) == "Notes/x.md"


@pytest.mark.parametrize(
    "text", ["/home/ada/Vault2/x.md", "/home/ada/Vault/../x.md", "/home/ada/x.md", "/home/ada/Vault/Notes/../../x.md"]
)
def test_an_absolute_path_beside_the_vault_is_refused_also_then(text: str) -> None:
    with pytest.raises(PermissionDenied) as caught:
        parse_path(text, vault=VAULT)
    assert caught.value.code == "outside_vault"


def test_an_absolute_windows_path_inside_the_vault_is_taken_in_any_spelling() -> None:
    vault = cast("Path", PureWindowsPath(r"C:\Users\Ada\Vault"))
    assert str(parse_path(r"c:\users\ada\VAULT\Notes\x.md", vault=vault)) == "Notes/x.md"
    with pytest.raises(PermissionDenied):
        parse_path(r"c:\users\ada\other\x.md", vault=vault)


def test_slashes_at_both_ends_are_stripped_where_the_tool_says_so() -> None:
    assert str(parse_path("//Notes/x.md/", strip_slashes=True)) == "Notes/x.md"
    with pytest.raises(InvalidParameters, match="empty"):
        parse_path("/", strip_slashes=True)
    with pytest.raises(PermissionDenied):
        parse_path("/C:/x", strip_slashes=True)


@pytest.mark.parametrize("name", ["What?.md", "a*b", 'say "hi"', "a<b", "a>b", "a|b"])
def test_a_name_that_windows_refuses_may_exist_but_is_not_given_to_a_new_file(name: str) -> None:
    assert unsafe_name(name) is None
    with pytest.raises(InvalidParameters, match="Windows"):
        check_new_name(name)


@pytest.mark.parametrize(
    "name",
    [
        ".hidden.md",
        "evil\u202edm.exe",
        "line\u2028break",
        "\ufeffbom.md",
        "a\u2066b",
        "a\u200bb.md",
        "\uff0evault-bridge",
    ],
)
def test_a_name_that_hides_or_deceives_is_not_given_to_a_new_file(name: str) -> None:
    with pytest.raises(InvalidParameters):
        check_new_name(name)


@pytest.mark.parametrize("name", ["Ideas.md", "a b c", "日本", "family 👨\u200d👩\u200d👧.md", "C++ & C#.md", "x.y.z"])
def test_an_ordinary_name_may_be_given_to_a_new_file(name: str) -> None:
    check_new_name(name)


def test_a_place_knows_its_parts() -> None:
    place = parse_path("Notes/Old/Ideas.tar.gz")
    assert (place.name, place.suffix, str(place.parent)) == ("Ideas.tar.gz", ".gz", "Notes/Old")
    assert [str(parent) for parent in place.parents] == ["Notes", "Notes/Old"]
    assert str(VaultPath.root().child("x")) == "x"
    assert VaultPath.root().parent == VaultPath.root()
    assert (str(VaultPath.root()), VaultPath.root().name) == ("", "")
    assert parse_path(".hidden").suffix == ""
    assert sorted([parse_path("b"), parse_path("a/z")]) == [parse_path("a/z"), parse_path("b")]


@given(st.text(max_size=80) | st.text(alphabet="./\\ :aA~%\x00", max_size=12))
def test_whatever_passes_the_gate_is_relative_and_inside(text: str) -> None:
    try:
        place = parse_path(text)
    except ToolFailure:
        return
    assert place.parts
    assert not any(part in {"", ".", ".."} or "/" in part or "\\" in part for part in place.parts)
    assert not any(part.startswith(".") for part in place.parts[:-1])
    assert all(unsafe_name(part) is None for part in place.parts)
    assert parse_path(str(place)) == place


@given(st.text(max_size=300))
def test_the_quick_look_at_a_name_agrees_with_the_slow_one(name: str) -> None:
    if unsafe_name(name) is None:
        assert name == name.rstrip(". ")
        assert 0 < len(name.encode()) <= 255
        assert "\x00" not in name
        assert name.split(".", 1)[0].rstrip(" ").upper() not in {"CON", "PRN", "AUX", "NUL", "COM1", "LPT1"}
