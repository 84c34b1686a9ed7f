"""apply_patch: what it writes into every kind of file, and everything it refuses rather than guesses."""

from typing import Any

import pytest

from bridge.errors import Ambiguous, Conflict, DeadlineExceeded, InvalidParameters, NotFound, PermissionDenied
from bridge.vault.plan import ChangeKind

MEETING = b"# Meeting\n\n- TODO: call Ada\n- done: tea\n"


def diff(body: str, name: str = "Notes/Meeting.md") -> str:
    return f"--- a/{name}\n+++ b/{name}\n{body}"


# -- line patches ----------------------------------------------------------------------------------------------


def test_a_line_is_replaced_by_its_number(bench: Any) -> None:
    bench.write("Notes/Ideas.md", b"# Ideas\n\nIntro\n\n## Old Section\n\nOld content here.\n")
    edit = {"startLine": 5, "endLine": 7, "newContent": "## Updated Section\n\nNew content here."}
    plan = bench.plan("apply_patch", path="Notes/Ideas.md", patches=[edit])
    assert list(plan.blobs.values()) == [b"# Ideas\n\nIntro\n\n## Updated Section\n\nNew content here.\n"]
    assert plan.summary == "Edit Notes/Ideas.md: 2 lines changed"
    assert [(change.kind, change.path) for change in plan.changes] == [(ChangeKind.MODIFY, "Notes/Ideas.md")]
    shown = plan.previews[0].diff
    assert shown.startswith("--- Notes/Ideas.md\n+++ Notes/Ideas.md\n@@ ")
    assert {"-## Old Section", "+## Updated Section", "-Old content here.", "+New content here."} <= set(
        shown.splitlines()
    )


@pytest.mark.parametrize(
    ("old", "edits", "new"),
    [
        (MEETING, [(1, 1, "# M")], b"# M\n\n- TODO: call Ada\n- done: tea\n"),
        (MEETING, [(2, 1, "x")], b"# Meeting\nx\n\n- TODO: call Ada\n- done: tea\n"),
        (MEETING, [(3, 4, "")], b"# Meeting\n\n"),
        (MEETING, [(5, 4, "end")], MEETING + b"end\n"),
        (MEETING, [(4, 4, "z"), (1, 1, "a")], b"a\n\n- TODO: call Ada\nz\n"),
        (b"a\r\nb\r\n", [(2, 2, "x\ny")], b"a\r\nx\r\ny\r\n"),
        (b"a\r\nb\nc\r\n", [(3, 3, "x")], b"a\r\nb\nx\r\n"),
        (b"a\nb", [(2, 2, "x")], b"a\nx"),
        (b"\xef\xbb\xbfa\nb\n", [(1, 1, "x")], b"\xef\xbb\xbfx\nb\n"),
        (b"", [(1, 0, "first")], b"first\n"),
    ],
)
def test_line_patches(bench: Any, old: bytes, edits: list[tuple[int, int, str]], new: bytes) -> None:
    bench.write("a.md", old)
    patches = [{"startLine": start, "endLine": end, "newContent": text} for start, end, text in edits]
    assert bench.result("a.md", path="a.md", patches=patches) == new


@pytest.mark.parametrize(
    ("old", "edits", "said"),
    [
        (MEETING, [(1, 2, "x"), (2, 3, "y")], "overlaps"),
        (MEETING, [(4, 9, "x")], "has 4 lines"),
        (MEETING, [(3, 1, "x")], "no range"),
        (MEETING, [(1, 1, "# Meeting")], "Nothing would change"),
        (b"a\x00b\n", [(1, 1, "x")], "binary"),
        (b"ok\ncaf\xe9\n", [(1, 1, "x")], "offset 6"),
    ],
)
def test_line_patches_that_are_refused(bench: Any, old: bytes, edits: list[tuple[int, int, str]], said: str) -> None:
    bench.write("a.md", old)
    patches = [{"startLine": start, "endLine": end, "newContent": text} for start, end, text in edits]
    with pytest.raises(InvalidParameters, match=said):
        bench.plan("apply_patch", path="a.md", patches=patches)


# -- unified diffs: accepted -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "body", "new"),
    [
        pytest.param(
            MEETING,
            "@@ -2,3 +2,3 @@\n \n-- TODO: call Ada\n+- done: call Ada\n - done: tea\n",
            b"# Meeting\n\n- done: call Ada\n- done: tea\n",
            id="one hunk",
        ),
        pytest.param(
            MEETING,
            "@@ -90,1 +90,1 @@ a heading\n-- done: tea\n+- done: coffee\n",
            b"# Meeting\n\n- TODO: call Ada\n- done: coffee\n",
            id="line numbers are only a hint when the place is certain",
        ),
        pytest.param(
            b"a\nb\nc\nd\ne\n",
            "@@ -1,2 +1,2 @@\n-a\n+A\n b\n@@ -4,2 +4,3 @@\n d\n-e\n+E\n+F\n",
            b"A\nb\nc\nd\nE\nF\n",
            id="two hunks",
        ),
        pytest.param(b"a\nb\nc\n", "@@ -1,3 +1,1 @@\n-a\n b\n-c\n", b"b\n", id="only removed lines"),
        pytest.param(b"a\nb\n", "@@ -2 +2,2 @@\n b\n+c\n", b"a\nb\nc\n", id="added at the end"),
        pytest.param(b"a\nb\n", "@@ -1,1 +1,2 @@\n+z\n a\n", b"z\na\nb\n", id="added at the beginning"),
        pytest.param(b"a\n\nb\n", "@@ -1,3 +1,3 @@\n a\n\n-b\n+B\n", b"a\n\nB\n", id="an empty line without its space"),
        pytest.param(b"a\r\nb\r\nc\r\n", "@@ -1,2 +1,3 @@\n a\n-b\n+x\n+y\n", b"a\r\nx\r\ny\r\nc\r\n", id="CRLF file"),
        pytest.param(b"a\nb\n", "@@ -1,2 +1,2 @@\r\n a\r\n-b\r\n+c\r\n", b"a\nc\n", id="CRLF patch"),
        pytest.param(b"a\r\nb\nc\r\n", "@@ -2,2 +2,2 @@\n b\n-c\n+d\n", b"a\r\nb\nd\r\n", id="mixed endings stay"),
        pytest.param(b"a\rb\nc\n", "@@ -2 +2 @@\n-c\n+d\n", b"a\rb\nd\n", id="a lone CR is text"),
        pytest.param(b"\xef\xbb\xbfa\nb\n", "@@ -1,2 +1,2 @@\n-a\n+x\n b\n", b"\xef\xbb\xbfx\nb\n", id="BOM stays"),
        pytest.param(b"a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n", b"a\nc", id="no final newline, not spoken of: stays so"),
        pytest.param(b"a\nb", "@@ -1,2 +1,3 @@\n a\n b\n+c\n", b"a\nb\nc", id="added behind a line without newline"),
        pytest.param(
            b"a\nb",
            "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n",
            b"a\nc",
            id="no final newline on both sides",
        ),
        pytest.param(
            b"a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n", b"a\nb\n", id="final newline comes"
        ),
        pytest.param(
            b"a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n", b"a\nb", id="final newline goes"
        ),
        pytest.param(
            b"a\r\nb\r\n", "@@ -2 +2,2 @@\n b\n+c\n\\ No newline at end of file\n", b"a\r\nb\r\nc", id="added without"
        ),
        pytest.param(b"", "@@ -0,0 +1,2 @@\n+a\n+b\n", b"a\nb\n", id="into an empty file"),
        pytest.param(
            "é\nÜber\n".encode(), "@@ -1,2 +1,2 @@\n é\n-Über\n+Ümlaut\n", "é\nÜmlaut\n".encode(), id="not ASCII"
        ),
        pytest.param(
            b"```\n@@ -1 +1 @@\n```\n",
            "@@ -1,3 +1,3 @@\n ```\n-@@ -1 +1 @@\n+@@ -2 +2 @@\n ```\n",
            b"```\n@@ -2 +2 @@\n```\n",
            id="text that looks like a patch",
        ),
        pytest.param(b"-- x\n++ y\n", "@@ -1,2 +1,2 @@\n--- x\n+++ x\n ++ y\n", b"++ x\n++ y\n", id="lines of signs"),
        pytest.param(
            b"---\ntags: [a]\n---\nText\n",
            "@@ -1,4 +1,5 @@\n ---\n tags: [a]\n+date: 2024-01-01\n ---\n Text\n",
            b"---\ntags: [a]\ndate: 2024-01-01\n---\nText\n",
            id="frontmatter",
        ),
        pytest.param(
            b"a" * 3000 + b"\nb\n", f"@@ -1,2 +1,2 @@\n {'a' * 3000}\n-b\n+c\n", b"a" * 3000 + b"\nc\n", id="long line"
        ),
    ],
)
def test_a_diff_is_applied(bench: Any, old: bytes, body: str, new: bytes) -> None:
    bench.write("a.md", old)
    assert bench.result("a.md", patch=diff(body, "a.md")) == new


@pytest.mark.parametrize(
    "head",
    [
        "--- Notes/Meeting.md\n+++ Notes/Meeting.md\n",
        "--- a/Notes/Meeting.md\n+++ b/Notes/Meeting.md\n",
        "--- a/Notes/Meeting.md\t2024-01-01 10:00:00\n+++ b/Notes/Meeting.md\t2024-01-02 10:00:00\n",
        "diff --git a/Notes/Meeting.md b/Notes/Meeting.md\nindex 1234567..89abcde 100644\n" + diff(""),
        "Here is the change:\n\n--- a/notes/meeting.md\n+++ b/notes/meeting.md\n",
    ],
)
def test_the_file_is_named_as_agents_name_it(bench: Any, head: str) -> None:
    patch = f"{head}@@ -4 +4 @@\n-- done: tea\n+- done: cake\n"
    assert bench.result("Notes/Meeting.md", patch=patch).endswith(b"- done: cake\n")
    assert bench.result("Notes/Meeting.md", patch=patch, path="Notes/Meeting.md" if "notes" not in head else None)


def test_a_path_with_spaces_accents_and_quotes_is_named_as_git_names_it(bench: Any) -> None:
    bench.write("Café notes.md", b"a\n")
    name = r'"a/Caf\303\251 notes.md"'
    patch = f"--- {name}\n+++ {name.replace('a/', 'b/')}\n@@ -1 +1 @@\n-a\n+b\n"
    assert bench.result("Café notes.md", patch=patch) == b"b\n"


@pytest.mark.parametrize(
    "patch", ["@@ -4 +4 @@\n-- done: tea\n+- done: cake\n", "--- \n+++ \n@@ -4 +4 @@\n-- done: tea\n+- x\n"]
)
def test_path_supplies_the_name_that_a_diff_lacks(bench: Any, patch: str) -> None:
    assert bench.result("Notes/Meeting.md", patch=patch, path="Notes/Meeting.md")


def test_a_file_in_a_real_folder_called_a_is_not_mistaken(bench: Any) -> None:
    bench.write("a/x.md", b"1\n")
    bench.write("x.md", b"1\n")
    assert bench.plan("apply_patch", patch="--- a/x.md\n+++ a/x.md\n@@ -1 +1 @@\n-1\n+2\n").targets == ("a/x.md",)
    assert bench.plan("apply_patch", patch="--- a/x.md\n+++ b/x.md\n@@ -1 +1 @@\n-1\n+2\n").targets == ("x.md",)


def test_several_files_are_one_plan(bench: Any) -> None:
    patch = (
        diff("@@ -4 +4 @@\n-- done: tea\n+- done: cake\n")
        + "\n"
        + diff("@@ -1 +1,2 @@\n # Ideas\n+New\n", "Ideas.md")
        + "--- /dev/null\n+++ b/New/Note.md\n@@ -0,0 +1,2 @@\n+# Note\n+text\n"
    )
    plan = bench.plan("apply_patch", patch=patch)
    assert [(change.kind, change.path) for change in plan.changes] == [
        (ChangeKind.MODIFY, "Notes/Meeting.md"),
        (ChangeKind.MODIFY, "Ideas.md"),
        (ChangeKind.MKDIR, "New"),
        (ChangeKind.CREATE, "New/Note.md"),
    ]
    assert plan.operation == "update"
    assert plan.summary == "Edit 3 files: 4 lines added, 1 removed in Notes/Meeting.md, Ideas.md, New/Note.md"


@pytest.mark.parametrize(
    ("body", "content"),
    [("+a\n+b\n", b"a\nb\n"), ("+a\n+b\n\\ No newline at end of file\n", b"a\nb")],
)
def test_a_new_file_has_the_added_lines(bench: Any, body: str, content: bytes) -> None:
    patch = f"--- /dev/null\n+++ b/New.md\n@@ -0,0 +1,2 @@\n{body}"
    plan = bench.plan("apply_patch", patch=patch)
    assert list(plan.blobs.values()) == [content]
    assert plan.summary == "Create New.md: 2 lines added"
    assert bench.plan("apply_patch", patch=patch, path="New.md").targets == ("New.md",)


TEA = "-- done: tea\n+- done: cake\n"
CAKE = MEETING.replace(b"tea", b"cake")


@pytest.mark.parametrize(
    "patch",
    [
        pytest.param(diff(f"@@ -15,3 +15,3 @@\n{TEA}"), id="counts too large"),
        pytest.param(diff(f"@@ -4,0 +4,0 @@\n{TEA}"), id="counts too small"),
        pytest.param(diff(f"@@ -4 +4 @@\n - TODO: call Ada\n{TEA}"), id="counts without the context"),
        pytest.param(diff(f"@@ -4,9 +4,9 @@\n{TEA}\n\n"), id="counts too large before empty lines"),
        pytest.param(diff(f"@@\n{TEA}"), id="a bare header"),
        pytest.param(diff(f"@@ @@\n{TEA}"), id="a bare pair"),
        pytest.param(diff(f"@@ ... @@\n{TEA}"), id="dots for numbers"),
        pytest.param(diff(f"@@ # Meeting\n{TEA}"), id="a heading"),
        pytest.param(diff(f"@@ # Meeting @@\n{TEA}"), id="a heading in a pair"),
        pytest.param(diff(f"@@ # No such heading\n{TEA}"), id="a heading that is not there"),
        pytest.param(diff(TEA), id="no header"),
        pytest.param(f"--- a/Notes/Meeting.md\n@@ -4 +4 @@\n{TEA}", id="one name, before"),
        pytest.param(f"+++ Notes/Meeting.md\n@@ -4 +4 @@\n{TEA}", id="one name, after"),
        pytest.param(f"```diff\n{diff(f'@@ -4 +4 @@{chr(10)}{TEA}')}```\n", id="in a code block"),
        pytest.param(f"Here:\n\n{diff(f'@@ -4 +4 @@{chr(10)}{TEA}')}\nThat is all.\n", id="text around"),
        pytest.param(diff(f"@@ -4 +4 @@\n{TEA}-- \n2.43.0\n\n"), id="signed by git format-patch"),
        pytest.param(f"*** Begin Patch\n*** Update File: Notes/Meeting.md\n@@\n{TEA}*** End Patch\n", id="Codex"),
        pytest.param(f"*** Begin Patch\n*** Update File: Notes/Meeting.md\n{TEA}*** End Patch", id="Codex, no header"),
        pytest.param(
            f"*** Begin Patch\n*** Update File: Meeting\n@@ # Meeting\n - TODO: call Ada\n{TEA}*** End of File\n"
            "*** End Patch",
            id="Codex, with everything",
        ),
        pytest.param(f"*** Update File: Notes/Meeting.md\r\n@@\r\n{TEA}".replace("\n", "\r\n"), id="Codex, CRLF"),
    ],
)
def test_how_a_patch_is_dressed_does_not_matter(bench: Any, patch: str) -> None:
    path = None if "/" in patch or "Update" in patch else "Meeting"
    assert bench.result("Notes/Meeting.md", patch=patch, path=path) == CAKE


@pytest.mark.parametrize(
    ("heading", "line"),
    [("## A", 2), ("## B", 4), ("### C", 6), ("## none", None), ("x", None)],
)
def test_a_heading_chooses_among_the_places_in_which_a_hunk_fits(bench: Any, heading: str, line: int | None) -> None:
    old = ["## A", "x", "## B", "x", "### C", "x" if heading != "## B" else "y", ""]
    bench.write("a.md", "\n".join(old).encode())
    patch = diff(f"@@ {heading}\n-x\n+new\n", "a.md")
    if line is None:
        with pytest.raises(Conflict, match="several places"):
            bench.plan("apply_patch", patch=patch)
        return
    old[line - 1] = "new"
    assert bench.result("a.md", patch=patch) == "\n".join(old).encode()


@pytest.mark.parametrize("count", ["1,2 +1,2", "1,9 +1,9", "1 +1"])
def test_a_wrong_count_does_not_swallow_the_next_file(bench: Any, count: str) -> None:
    patch = diff(f"@@ -{count} @@\n-# Meeting\n+# M\n") + diff("@@ -1,1 +1,1 @@\n-# Ideas\n+# I\n", "Ideas.md")
    if count == "1,2 +1,2":  # as it is counted, the names are lines: it is refused, not misunderstood
        with pytest.raises(Conflict):
            bench.plan("apply_patch", patch=patch)
        return
    assert bench.plan("apply_patch", patch=patch).targets == ("Notes/Meeting.md", "Ideas.md")


@pytest.mark.parametrize(
    "patch",
    [
        "diff --git a/New.md b/New.md\nnew file mode 100644\n--- /dev/null\n+++ b/New.md\n@@ -0,0 +1 @@\n+hello\n",
        "diff --git a/New.md b/New.md\nnew file mode 100644\n--- /dev/null\n+++ b/New.md\n@@\n+hello\n",
        "*** Begin Patch\n*** Add File: New.md\n+hello\n*** End Patch\n",
    ],
)
def test_a_patch_that_creates_a_file_minds_no_folder_b(bench: Any, patch: str) -> None:
    bench.write("b/other.md", b"")
    plan = bench.plan("apply_patch", patch=patch)
    assert plan.targets == ("New.md",)
    assert list(plan.blobs.values()) == [b"hello\n"]


def test_lines_are_added_at_the_end_of_a_file_where_the_patch_says_so(bench: Any) -> None:
    patch = "*** Begin Patch\n*** Update File: Notes/Meeting.md\n@@\n+more\n*** End of File\n*** End Patch"
    assert bench.result("Notes/Meeting.md", patch=patch) == MEETING + b"more\n"


def test_whether_b_is_gits_or_a_folder_must_be_said(bench: Any) -> None:
    bench.write("b/other.md", b"")
    patch = "--- /dev/null\n+++ b/New.md\n@@ -0,0 +1 @@\n+a\n"
    with pytest.raises(Ambiguous) as refusal:
        bench.plan("apply_patch", patch=patch)
    assert refusal.value.data["candidates"] == ["New.md", "b/New.md"]
    assert bench.plan("apply_patch", patch=patch, path="b/New.md").targets == ("b/New.md",)
    assert bench.plan("apply_patch", patch=patch, path="New.md").targets == ("New.md",)


# -- unified diffs: refused ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "body", "candidates"),
    [
        pytest.param(MEETING, "@@ -4 +4 @@\n-- done: coffee\n+x\n", [], id="no such line"),
        pytest.param(MEETING, "@@ -3,2 +3,2 @@\n - done: tea\n-- TODO: call Ada\n+x\n", [], id="other order"),
        pytest.param(MEETING, "@@ -4 +4 @@\n--  done: tea\n+x\n", [], id="other spaces"),
        pytest.param(MEETING, "@@ -4 +4 @@\n-- Done: tea\n+x\n", [], id="other case"),
        pytest.param(MEETING, "@@ -4,2 +4,2 @@\n - done: tea\n-more\n+x\n", [], id="beyond the end"),
        pytest.param(MEETING, "@@ -3 +3 @@\n-TODO: call Ada\n+x\n", [], id="a part of a line"),
        pytest.param(
            b"a\nb\na\nb\n", "@@ -3,2 +3,2 @@\n a\n-b\n+c\n", [1, 3], id="two places, also with the right number"
        ),
        pytest.param(b"a\na\na\n", "@@ -1,2 +1,2 @@\n a\n-a\n+b\n", [1, 2], id="places that overlap"),
        pytest.param(b"x\n" * 30, "@@ -5 +5 @@\n-x\n+y\n", list(range(1, 11)), id="very many places"),
        pytest.param(b"\n\n", "@@ -1 +1,2 @@\n \n+x\n", [1, 2], id="an empty line as the only context"),
        pytest.param(MEETING, "@@ -3,0 +4 @@\n+x\n", [], id="no context at all"),
        pytest.param(b"a\nb\n", "@@ -2 +2 @@\n-b\n\\ No newline at end of file\n+c\n", [], id="there is a newline"),
        pytest.param(b"a\nb\n", "@@ -1 +1 @@\n-a\n+c\n\\ No newline at end of file\n", [], id="not the last line"),
        pytest.param("e\u0301\n".encode(), "@@ -1 +1 @@\n-\u00e9\n+x\n", [], id="another Unicode form"),
        pytest.param(b"", "@@ -1 +1 @@\n-a\n+b\n", [], id="an empty file"),
        pytest.param(b"a" * 600 + b"\n" + b"a" * 601 + b"\n", f"@@ -1 +1 @@\n-{'a' * 602}\n+b\n", [], id="long lines"),
    ],
)
def test_a_hunk_that_fits_in_no_one_place_is_refused(bench: Any, old: bytes, body: str, candidates: list[int]) -> None:
    bench.write("a.md", old)
    with pytest.raises(Conflict, match="Nothing was changed") as refusal:
        bench.plan("apply_patch", patch=diff(body, "a.md"))
    assert (refusal.value.data["code"], refusal.value.data["candidates"]) == ("no_match", candidates)


@pytest.mark.parametrize(
    ("old", "body", "line", "text"),
    [
        pytest.param("It\u2019s here\n", "-It's here\n+x\n", 1, "It\u2019s here", id="typographic quotes"),
        pytest.param("a\n- done:  tea\n", "-- done: tea\n+x\n", 2, "- done:  tea", id="spaces"),
        pytest.param("a\nb\nc\nd\n", " b\n-C\n+x\n d\n", 3, "c", id="the line among others that fit"),
        pytest.param("one\ntwo words here\n", "-two wards here\n+x\n", 2, "two words here", id="a typing error"),
        pytest.param("a\nb\n", " b\n-c\n+x\n", 3, None, id="beyond the end"),
    ],
)
def test_a_hunk_that_fits_nowhere_names_the_nearest_place(
    bench: Any, old: str, body: str, line: int, text: str | None
) -> None:
    bench.write("a.md", old.encode())
    with pytest.raises(Conflict) as refusal:
        bench.plan("apply_patch", patch=diff(f"@@ -1 +1 @@\n{body}", "a.md"))
    assert refusal.value.data["nearest"] == {"line": line, "text": text}
    assert f"in line {line}" in refusal.value.message
    assert text is None or f"`{text}`" in refusal.value.message


def test_a_hunk_that_is_like_nothing_names_no_place(bench: Any) -> None:
    with pytest.raises(Conflict) as refusal:
        bench.plan("apply_patch", patch=diff("@@ -4 +4 @@\n-zzzzzzzzzzzzzzzz\n+x\n"))
    assert "nearest" not in refusal.value.data


@pytest.mark.parametrize(
    ("patch", "said"),
    [
        ("no diff at all", "line 1.*no hunk"),
        ("@@ -1 +1 @@\n-a\n+b\n", "line 1"),
        (diff("@@ -4 +4 @@\nwrong\n"), "line 4: a line of a hunk begins with"),
        (diff("@@ -1,2 +1,1 @@\n a\n\\ No newline at end of file\n-b\n"), "line 3: only the last line"),
        ("--- /dev/null\n+++ b/x.md\n@@ -1 +1 @@\n-a\n+b\n", "line 3: a new file"),
        ("diff --git a/x b/y\nrename from x\nrename to y\n--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n", "line 2.*renames"),
        ("--- a/x.md\n+++ b/x.md\n" + diff("@@ -4 +4 @@\n-- done: tea\n+x\n"), "no hunk for 'b/x.md'"),
        ("--- a/x.md\n+++ b/y.md\n@@ -1 +1 @@\n-a\n+b\n", "renames 'a/x.md' to 'b/y.md'"),
        ("--- a/x.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", "deletes"),
        (
            "diff --git a/x.sh b/x.sh\nold mode 100644\nnew mode 100755\n",
            "mode",
        ),
        (diff("@@\n-- done: tea\nwrong\n"), "line 5: a line of a hunk begins with"),
        (diff("@@\n@@\n-- done: tea\n"), "line 3: the hunk has no lines"),
        (
            "diff --git a/x.md b/x.md\ndeleted file mode 100644\n--- a/x.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
            "deletes",
        ),
        ("*** Begin Patch\n*** Delete File: x.md\n*** End Patch", "deletes 'x.md'.*delete_file"),
        ("*** Begin Patch\n*** Update File: x.md\n*** Move to: y.md\n@@\n-a\n+b\n", "line 3.*renames.*move_file"),
        ("*** Begin Patch\n*** Update File: x.md\n*** End Patch", "no hunk for 'x.md'"),
        (diff("@@ -4 +4 @@\n - done: tea\n"), "changes nothing"),
        (diff("@@ -4 +4 @@\n-- done: tea\n+- done: tea\n"), "changes nothing"),
        (diff("@@ -4 +4 @@\n-- done: tea\n+x\n") * 2, "twice"),
        (diff("@@ -3,2 +3,2 @@\n - TODO: call Ada\n-- done: tea\n+x\n@@ -4 +4 @@\n-- done: tea\n+y\n"), "overlaps"),
    ],
)
def test_a_diff_that_is_malformed_or_asks_for_more_than_lines_is_refused(bench: Any, patch: str, said: str) -> None:
    with pytest.raises(InvalidParameters, match=f"(?i){said}"):
        bench.plan("apply_patch", patch=patch)


def test_lines_of_a_diff_are_counted_as_they_were_sent(bench: Any) -> None:
    """The names that `path` supplies are not among them."""
    with pytest.raises(InvalidParameters, match="in line 3"):
        bench.plan("apply_patch", path="Notes/Meeting.md", patch="@@ -4,2 +4,2 @@\n-- done: tea\n*x\n")


@pytest.mark.parametrize(
    ("data", "said"), [(b"a\x00b\n", "binary"), (b"ok\ncaf\xe9\n", "offset 6")], ids=["binary", "not UTF-8"]
)
def test_a_file_that_is_no_text_is_refused(bench: Any, data: bytes, said: str) -> None:
    bench.write("a.md", b"x\n" + data)
    with pytest.raises(InvalidParameters, match=said.replace("6", "8")):
        bench.plan("apply_patch", patch=diff("@@ -1 +1 @@\n-x\n+y\n", "a.md"))


@pytest.mark.parametrize(
    ("name", "failure"),
    [
        ("None.md", NotFound),
        ("../x.md", PermissionDenied),
        (".obsidian/app.json", PermissionDenied),
        ("Notes", InvalidParameters),
    ],
)
def test_a_place_that_cannot_be_changed_is_refused(bench: Any, name: str, failure: type[Exception]) -> None:
    with pytest.raises(failure):
        bench.plan("apply_patch", patch=diff("@@ -1 +1 @@\n-x\n+y\n", name))
    with pytest.raises(failure):
        bench.plan("apply_patch", path=name, patches=[{"startLine": 1, "endLine": 1, "newContent": "x"}])


@pytest.mark.parametrize("name", ["Ideas.md", "IDEAS.md"])
def test_a_new_file_never_takes_an_old_ones_place(bench: Any, name: str) -> None:
    with pytest.raises(Conflict) as refusal:
        bench.plan("apply_patch", patch=f"--- /dev/null\n+++ b/{name}\n@@ -0,0 +1 @@\n+a\n")
    assert refusal.value.code == "exists"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "either patches or patch"),
        ({"path": "Ideas.md"}, "either patches or patch"),
        ({"path": "a", "patches": [{"startLine": 1, "endLine": 1, "newContent": "x"}], "patch": "x"}, "either"),
        ({"patches": [{"startLine": 1, "endLine": 1, "newContent": "x"}]}, "path is missing"),
        ({"path": "a", "patches": []}, "patches"),
        ({"path": "a", "patches": [{"startLine": "1", "endLine": 1, "newContent": "x"}]}, r"patches\[0\].startLine"),
        ({"path": "a", "patches": [{"startLine": 0, "endLine": 1, "newContent": "x"}]}, r"patches\[0\].startLine"),
        ({"path": "a", "patches": [{"startLine": 1, "endLine": 1}]}, "newContent"),
        ({"path": "a", "patches": [{"startLine": 1, "endLine": 1, "newContent": "x", "mode": "w"}]}, "mode"),
        ({"patch": ""}, "patch"),
        ({"path": "Ideas.md", "patch": diff("@@ -4 +4 @@\n-- done: tea\n+x\n")}, "leave out one"),
        (
            {"path": "Ideas.md", "patch": diff("@@ -4 +4 @@\n-- done: tea\n+x\n") + diff("@@ -1 +1 @@\n-a\n+b\n", "x")},
            "2 files",
        ),
    ],
)
def test_wrong_arguments_are_refused(bench: Any, arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidParameters, match=said):
        bench.plan("apply_patch", **arguments)


def test_a_hunk_that_takes_too_long_to_place_is_given_up(bench: Any) -> None:
    bench.seconds = -1
    with pytest.raises(DeadlineExceeded):
        bench.plan("apply_patch", patch=diff("@@ -4 +4 @@\n-- done: tea\n+x\n"))


# -- the report ------------------------------------------------------------------------------------------------


def test_the_report_has_its_members(bench: Any) -> None:
    patch = diff("@@ -4 +4 @@\n-- done: tea\n+- done: cake\n")
    output = bench.report("apply_patch", backup=".vault-bridge/backups/patch-1f0c9a/", patch=patch)
    assert output.data["modified"] is True
    assert output.data["diff"].startswith("--- Notes/Meeting.md\n+++ Notes/Meeting.md\n")
    assert output.data["backupPath"] == ".vault-bridge/backups/patch-1f0c9a/Notes/Meeting.md"
    assert output.data["files"] == [{"path": "Notes/Meeting.md", "change": "modify", "added": 1, "removed": 1}]
    assert "patch-1f0c9a" in output.text


def test_the_report_of_several_files_names_the_backup_folder(bench: Any) -> None:
    patch = diff("@@ -4 +4 @@\n-- done: tea\n+x\n") + diff("@@ -1 +1 @@\n-# Ideas\n+x\n", "Ideas.md")
    output = bench.report("apply_patch", backup=".vault-bridge/backups/patch-1f0c9a/", patch=patch)
    assert output.data["backupPath"] == ".vault-bridge/backups/patch-1f0c9a/"


def test_what_was_created_has_no_backup(bench: Any) -> None:
    patch = "--- /dev/null\n+++ New.md\n@@ -0,0 +1 @@\n+a\n"
    output = bench.report("apply_patch", backup=".vault-bridge/backups/patch-1f0c9a/", patch=patch)
    assert output.data["backupPath"] is None


@pytest.mark.parametrize(
    ("edits", "summary"),
    [
        ([(1, 1, "x")], "1 line changed"),
        ([(1, 0, "x")], "1 line added"),
        ([(3, 4, "")], "2 lines removed"),
        ([(1, 1, "x\ny\nz")], "3 lines added, 1 removed"),
    ],
)
def test_the_summary_counts_lines(bench: Any, edits: list[tuple[int, int, str]], summary: str) -> None:
    patches = [{"startLine": start, "endLine": end, "newContent": text} for start, end, text in edits]
    plan = bench.plan("apply_patch", path="Notes/Meeting.md", patches=patches)
    assert plan.summary == f"Edit Notes/Meeting.md: {summary}"


# -- notes by name ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["Meeting", "[[Meeting]]", "notes/meeting.md"])
def test_a_note_is_patched_by_its_name_and_the_question_shows_its_path(bench: Any, name: str) -> None:
    plan = bench.plan("apply_patch", path=name, patches=[{"startLine": 1, "endLine": 1, "newContent": "# M"}])
    assert plan.summary == "Edit Notes/Meeting.md: 1 line changed"
    hunk = "@@ -1,1 +1,1 @@\n-# Meeting\n+# M\n"
    assert bench.plan("apply_patch", path=name, patch=hunk).targets == ("Notes/Meeting.md",)
    assert bench.plan("apply_patch", path=name, patch=diff(hunk)).targets == ("Notes/Meeting.md",)


def test_a_patch_by_a_name_that_several_notes_have_is_refused(bench: Any) -> None:
    bench.write("Other/Meeting.md", b"# Meeting\n")
    with pytest.raises(Ambiguous, match="2 matches") as refused:
        bench.plan("apply_patch", path="Meeting", patches=[{"startLine": 1, "endLine": 1, "newContent": "x"}])
    assert len(refused.value.data["candidates"]) == 2
    with pytest.raises(InvalidParameters, match="names a part"):
        bench.plan("apply_patch", path="Ideas#Old Section", patches=[{"startLine": 1, "endLine": 1, "newContent": "x"}])
