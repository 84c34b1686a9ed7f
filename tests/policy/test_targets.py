"""What a call touches, and how far an answer about it reaches."""

import os
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.contract.consent import Reach, TargetKind
from bridge.policy.targets import (
    Rung,
    Target,
    command_target,
    common_ladder,
    custom_tool_target,
    file_target,
    folder_target,
    is_executable,
    named_target,
    parse_key,
    server_tool_target,
    url_target,
)


def ladder_of(target: Target) -> list[Rung]:
    return [rungs[0] for _, rungs in common_ladder([target])]


def keys(target: Target) -> list[str]:
    return [rung.key for rung in ladder_of(target)]


@pytest.mark.parametrize(
    ("target", "kind", "ladder"),
    [
        (file_target("a/b/c.md"), TargetKind.FILE, ["a/b/c.md", "a/b/", "/"]),
        (file_target("c.md"), TargetKind.FILE, ["c.md", "/"]),
        (folder_target("a/b"), TargetKind.FOLDER, ["a/b/", "/"]),
        (folder_target(""), TargetKind.FOLDER, ["/"]),
        (
            url_target("http://Example.org/a/b?q=1#x"),
            TargetKind.URL,
            ["https://example.org/a/b", "https://example.org/"],
        ),
        (url_target("https://example.org:8443"), TargetKind.URL, ["https://example.org:8443/"]),
        (
            command_target("/usr/bin/ls", ["-l", "a b"]),
            TargetKind.COMMAND,
            ["command:/usr/bin/ls -l 'a b'", "/usr/bin/ls"],
        ),
        (server_tool_target("files", "read"), TargetKind.SERVER_TOOL, ["mcp://files/read", "mcp://files/"]),
        (custom_tool_target("weather"), TargetKind.CUSTOM_TOOL, ["custom://weather"]),
    ],
)
def test_each_kind_has_its_own_ladder_narrowest_first(target: Target, kind: TargetKind, ladder: list[str]) -> None:
    assert target.kind is kind
    assert keys(target) == ladder


@pytest.mark.parametrize(
    ("key", "target"),
    [
        ("Notes/", file_target("Notes/Deep/x.md")),
        ("/", file_target("x.md")),
        ("a", file_target("a")),
        ("a/", file_target("a")),
        ("https://example.org/a/", url_target("http://example.org/a/b/c?d")),
        ("https://example.org/", url_target("https://user:pass@EXAMPLE.org./x")),
        ("/usr/bin/ls", command_target("/usr/bin/ls", ["-a"])),
        ("mcp://files/", server_tool_target("files", "anything")),
        ("custom://weather", custom_tool_target("weather")),
    ],
)
def test_a_rung_covers_what_it_names_and_what_lies_below(key: str, target: Target) -> None:
    assert parse_key(key).covers(target)


@pytest.mark.parametrize(
    ("key", "target"),
    [
        ("Notes", file_target("Notes/x.md")),
        ("notes/x.md", file_target("Notes/x.md")),
        ("Note/", file_target("Notes/x.md")),
        ("https://example.org/a", url_target("https://example.org/a/b")),
        ("https://example.org/", url_target("https://example.org:8443/")),
        ("https://example.org/", url_target("https://example.org.evil.test/")),
        ("https://example.org/", url_target("https://www.example.org/")),
        ("/usr/bin/ls", command_target("/usr/bin/lsof")),
        ("/usr/bin/ls", command_target("/USR/BIN/LS")),
        ("mcp://files/", server_tool_target("files2", "read")),
        ("mcp://files/read", server_tool_target("files", "readall")),
        ("custom://weather", server_tool_target("custom:", "weather")),
        ("usr/bin/ls", command_target("/usr/bin/ls")),
    ],
)
def test_a_rung_covers_nothing_beside_it_and_nothing_of_another_kind(key: str, target: Target) -> None:
    assert not parse_key(key).covers(target)


@pytest.mark.parametrize(
    ("key", "target"),
    [
        ("notes", file_target("Notes/x.md")),
        ("Zoë", file_target(unicodedata.normalize("NFD", "zOË/É.md"))),
        ("https://example.org/a", url_target("https://example.org/A/b")),
        ("/usr/bin/ls", command_target("/usr/bin/ls", ["-a"])),
        ("mcp://Files/", server_tool_target("files", "read")),
    ],
)
def test_a_denial_holds_below_what_it_names_and_without_regard_to_case(key: str, target: Target) -> None:
    assert parse_key(key).denies(target)


def test_a_denial_never_crosses_kinds() -> None:
    assert not parse_key("https://usr/bin/ls").denies(command_target("/usr/bin/ls"))
    assert not parse_key("/").denies(url_target("https://example.org"))


@pytest.mark.parametrize("path", ["", "a//b", "../a", "a/./b", "a\\b", "a\nb", "//"])
def test_what_names_nothing_in_a_vault_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        file_target(path)


def test_an_absolute_path_of_any_system_is_an_executable() -> None:
    assert [is_executable(name) for name in ("/bin/ls", "/", "a/b", "https://h/", "\\\\server\\x", "D:\\x")] == [
        *(True, False, False, False, True, True)
    ]
    assert is_executable("D:/x") is (os.name == "nt"), "elsewhere a folder may have this name"


def test_a_name_that_leads_nowhere_is_covered_by_nothing_but_itself_and_the_vault() -> None:
    nowhere = named_target("a//b")
    assert keys(nowhere) == ["a//b", "/"]
    assert not parse_key("a/").covers(nowhere)
    assert keys(named_target("")) == ["/"]


def test_names_that_could_be_mistaken_for_others_are_refused() -> None:
    with pytest.raises(ValueError, match="without slashes"):
        server_tool_target("a/b", "c")
    with pytest.raises(ValueError, match="without slashes"):
        custom_tool_target("")
    with pytest.raises(ValueError, match="absolute path"):
        command_target("ls")


def test_the_ladder_of_several_targets_has_only_rungs_that_hold_for_all() -> None:
    two = [file_target("a/x.md"), file_target("a/b/y.md")]
    assert [(reach, [rung.key for rung in rungs]) for reach, rungs in common_ladder(two)] == [
        (Reach.FILE, ["a/x.md", "a/b/y.md"]),
        (Reach.FOLDER, ["a/"]),
        (Reach.VAULT, ["/"]),
    ]
    apart = [file_target("a/x.md"), file_target("b/y.md")]
    assert [reach for reach, _ in common_ladder(apart)] == [Reach.FILE, Reach.VAULT]
    sites = [url_target("https://a.test/x"), url_target("https://b.test/x")]
    assert [reach for reach, _ in common_ladder(sites)] == [Reach.PAGE]
    assert common_ladder([]) == []


def test_a_note_that_is_called_like_a_host_is_not_that_host() -> None:
    assert file_target("https:/example.org").place.reach is Reach.FILE


_parts = st.text(st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters="/\\"), min_size=1, max_size=8)
_names = _parts.filter(lambda part: part not in {".", ".."})
_paths = st.lists(_names, min_size=1, max_size=4).map("/".join)


@given(_paths)
def test_every_rung_of_a_file_covers_it_and_is_read_back_from_its_key(path: str) -> None:
    target = file_target(path)
    for rung in target.rungs():
        assert rung.covers(target)
        assert rung.denies(target)
        assert parse_key(rung.key) in {rung, *target.rungs()} or "://" in path or path[1:2] == ":"


@given(_paths, _paths)
def test_what_covers_also_denies_and_a_folder_covers_only_what_begins_with_it(one: str, other: str) -> None:
    first, second = file_target(one), file_target(other)
    for rung in first.rungs():
        if rung.covers(second):
            assert rung.denies(second)
        if rung.reach is Reach.FOLDER and rung.covers(second):
            assert f"{second.place.key}/".startswith(rung.key)


def test_rungs_read_on_in_a_sentence() -> None:
    assert Rung(Reach.VAULT, "/").label == "the whole vault"
    assert ladder_of(file_target("a/b.md"))[1].label == "the folder a/"
    assert ladder_of(url_target("https://example.org/x"))[1].label == "the site example.org"
    assert ladder_of(server_tool_target("files", "read"))[1].label == "every tool of the server files"


def test_commands_that_differ_in_places_of_the_vault_alone_are_one_and_nothing_else_is() -> None:
    asked = command_target("/usr/bin/wc", ["-l", "a.md"], vault_paths={1})
    assert asked.place.covers(command_target("/usr/bin/wc", ["-l", "b c.md"], vault_paths={1}))
    for other in (
        command_target("/usr/bin/wc", ["-l", "/etc/passwd"]),
        command_target("/usr/bin/wc", ["-c", "a.md"], vault_paths={1}),
        command_target("/usr/bin/wc", ["-l", "a.md", "b.md"], vault_paths={1, 2}),
        command_target("/usr/bin/wc", ["-l", "<place in the vault>"]),
        command_target("/usr/bin/wc", ["-l", "<place", "in", "the", "vault>"]),
        command_target("/usr/local/bin/wc", ["-l", "a.md"], vault_paths={1}),
    ):
        assert not asked.place.covers(other)
    assert asked.label == "/usr/bin/wc -l a.md"
    assert asked.place.label == "/usr/bin/wc -l <place in the vault>"
