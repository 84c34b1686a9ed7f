"""What is made from the code on the reference pages is up to date, and what is written by hand stays as it is."""

import shutil
from pathlib import Path

import pytest

from scripts.lib.reference import DOCS, PAGES, described, main


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    for name in PAGES:
        shutil.copy(DOCS / name, tmp_path / name)
    return tmp_path


def change(page: Path, before: str, after: str) -> None:
    text = page.read_text(encoding="utf-8")
    assert text.count(before) == 1
    page.write_text(text.replace(before, after), encoding="utf-8", newline="\n")


def test_the_pages_are_as_the_code_says(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["--check"])
    assert (code, capsys.readouterr().err) == (0, "")


@pytest.mark.parametrize(
    ("page", "made", "by_hand"),
    [
        ("protocol.md", "Parameters: `clientId`, `name`\n", "Parameters: `clientId`\n"),
        ("protocol.md", "Ends a draft; nothing of it is written. Returns `{draftId}`.", "Ends a draft."),
        ("protocol.md", "| -32002 | 64 requests", "| -32002 | 65 requests"),
        ("protocol.md", "`{executionId, tool, client, callId?}`", "`{executionId, tool}`"),
        ("tools.md", "| `filePattern` | string, optional |", "| `filePattern` | string, required |"),
        ("tools.md", "| read | low | `session_allow` | always | yes | 60 |", "| read | high |"),
        ("settings.md", "| `draftDays` | `7` |", "| `draftDays` | `8` |"),
        ("settings.md", "| `allowTerminal` |", "| `allowTerminals` |"),
    ],
)
def test_what_is_made_is_made_again(docs: Path, page: str, made: str, by_hand: str) -> None:
    before = (docs / page).read_bytes()
    assert made.encode() in before
    (docs / page).write_bytes(before.replace(made.encode(), by_hand.encode(), 1))
    assert main(["--check", page], docs) == 1
    assert main([page], docs) == 0
    assert (docs / page).read_bytes() == before


@pytest.mark.parametrize(
    ("page", "before", "after"),
    [
        ("protocol.md", "# The protocol\n", "# The protocol\n\nMore by hand.\n"),
        (
            "protocol.md",
            "| consent screens | `{requestId, expiresAt}`: the call",
            "| all | `{requestId, expiresAt}`: A call",
        ),
        ("tools.md", "Search the text of files with a regular expression, line by line.", "Search, by hand."),
        ("settings.md", "[Chat with a model](chat.md) says more.", "More by hand."),
    ],
)
def test_what_is_written_by_hand_stays(docs: Path, page: str, before: str, after: str) -> None:
    change(docs / page, before, after)
    written = (docs / page).read_bytes()
    assert main(["--check", page], docs) == 0
    assert main([page], docs) == 0
    assert (docs / page).read_bytes() == written


@pytest.mark.parametrize(
    ("page", "heading"),
    [
        ("protocol.md", "### `ping`\n"),
        ("settings.md", "## Chat (`chat`)\n"),
        ("protocol.md", "| `vault.moved` |"),
    ],
)
def test_a_page_without_a_place_is_refused_and_says_which(
    docs: Path, page: str, heading: str, capsys: pytest.CaptureFixture[str]
) -> None:
    change(docs / page, heading, "")
    assert main([page], docs) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"{page}: ")
    assert heading.strip("# |\n").split("`")[1] in said


def test_the_text_of_a_docstring_is_what_follows_its_first_line() -> None:
    def documented() -> None:
        """Do it.

        The first paragraph goes on
        in a second line.

        - An item that is
          long.
        - Another.

        Raises:
            ValueError: It is not in the text.
        """

    assert described(documented) == (
        "The first paragraph goes on in a second line.\n\n- An item that is long.\n- Another."
    )
