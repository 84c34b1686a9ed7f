"""Bases follow renamed properties and tags and moved files in exact places, and no other byte of them changes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.bases import following
from bridge.bases.failures import BaseError
from bridge.bases.following import Follower, MoveFollower, PropertyFollower, TagFollower, follow
from bridge.bases.syntax import parse
from bridge.notes.frontmatter import read_yaml
from bridge.notes.names import Names
from bridge.notes.rewriting import Relocation
from tests.bases.expressions import EXPRESSIONS


def in_expression(expression: str, follower: Follower) -> str:
    text = expression
    for edit in sorted(follower.edits(expression, parse(expression)), reverse=True):
        text = text[: edit.start] + edit.new + text[edit.end :]
    return text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("rating > 3", "score > 3"),
        ("Rating > 3", "score > 3"),
        ("note.rating + note['rating']", "note.score + note['score']"),
        ('file.hasProperty("rating")', 'file.hasProperty("score")'),
        ("this.rating == file.properties.rating", "this.score == file.properties.score"),
        ('author.asFile().properties["rating"]', 'author.asFile().properties["score"]'),
        ("formula.rating + rating.rating", "formula.rating + score.rating"),
        ('"rating" == status && rate', '"rating" == status && rate'),
        ("list(rating).filter(value > rating)", "list(score).filter(value > score)"),
    ],
)
def test_a_property_is_followed_where_it_is_named(before: str, after: str) -> None:
    assert in_expression(before, PropertyFollower("rating", "score")) == after


def test_a_name_that_cannot_stand_alone_is_put_in_brackets() -> None:
    follower = PropertyFollower("rating", "my score")
    assert in_expression("rating + note.rating + this.rating", follower) == (
        'note["my score"] + note["my score"] + this["my score"]'
    )
    assert in_expression("rating", PropertyFollower("rating", "file")) == 'note["file"]'
    assert in_expression("[1].map(value + rating)", PropertyFollower("value", "x")) == "[1].map(value + rating)"
    assert in_expression("value + [1].map(value)[0]", PropertyFollower("value", "x")) == "x + [1].map(value)[0]"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('file.hasTag("book")', 'file.hasTag("novel")'),
        ("file.hasTag('#Book/sf', 'other')", "file.hasTag('#novel/sf', 'other')"),
        ('tags.contains("book")', 'tags.contains("novel")'),
        ('list(file.tags).containsAny("x", "book")', 'list(file.tags).containsAny("x", "novel")'),
        ('title.contains("book")', 'title.contains("book")'),
        ('file.hasTag("bookish")', 'file.hasTag("bookish")'),
    ],
)
def test_a_tag_is_followed_where_it_is_given_as_a_tag(before: str, after: str) -> None:
    assert in_expression(before, TagFollower("book", "novel")) == after


def test_a_tag_that_is_longer_in_lower_case_is_followed_with_those_nested_in_it() -> None:
    assert in_expression('file.hasTag("İ", "#İ/sf")', TagFollower("İ", "i")) == 'file.hasTag("i", "#i/sf")'
    assert in_expression('file.hasTag("#i̇/sf")', TagFollower("İ", "i")) == 'file.hasTag("#i/sf")'


def moved() -> MoveFollower:
    before = Names(["Books/Dune.md", "Books/Old/Emma.md", "All.base", "Other.md", "x/Emma.md"])
    moves: dict[str, str | None] = {"Books/Dune.md": "Read/Sand.md", "Books/Old/Emma.md": "Read/Old/Emma.md"}
    return MoveFollower("All.base", Relocation(before, before.moved(moves), moves, folders={"Books": "Read"}))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('author == link("Dune")', 'author == link("Sand")'),
        ('link("[[Dune#Part|it]]")', 'link("[[Sand#Part|it]]")'),
        ('file("Books/Dune.md").rating', 'file("Read/Sand.md").rating'),
        ("file.hasLink('Books/Dune')", "file.hasLink('Read/Sand')"),
        ('file.inFolder("Books")', 'file.inFolder("Read")'),
        ('file.inFolder("Books/Old")', 'file.inFolder("Read/Old")'),
        ('file.inFolder("Bookshelf")', 'file.inFolder("Bookshelf")'),
        ('file.folder == "Books"', 'file.folder == "Read"'),
        ('file.path != "Books/Dune.md"', 'file.path != "Read/Sand.md"'),
        ('link("Other")', 'link("Other")'),
        ('link("Nobody")', 'link("Nobody")'),
        ('title == "Dune"', 'title == "Dune"'),
    ],
)
def test_paths_and_folders_are_followed_where_they_are_given_as_such(before: str, after: str) -> None:
    assert in_expression(before, moved()) == after


BASE = """# what I read
filters:
  and:
    - 'rating > 3'   # good ones
    - "file.hasTag(\\"book\\")"
    - or: [rating, "note.rating == 5", 'it''s("rating"'  ]
formulas:
  twice:   rating * 2
  long: >-
    rating
    + 1
properties:
  note.rating:
    displayName: rating
  rating: {displayName: R}
views:
  - type: table
    name: rating
    order: [file.name, rating, note.rating]
    sort:
      - property: rating
        direction: DESC
    groupBy: {property: note.rating}
    summaries:
      rating: Average
    columnSize:
      note.rating: 100
    image: note.rating
    custom: rating
"""


def test_in_the_yaml_only_ids_and_expressions_change_and_what_could_not_is_said() -> None:
    done = follow(BASE, PropertyFollower("rating", "score"))
    expected = BASE
    for old, new in (
        ("'rating > 3' ", "'score > 3' "),
        ('[rating, "note.rating == 5"', '[score, "note.score == 5"'),
        ("twice:   rating * 2", "twice:   score * 2"),
        ("  note.rating:\n    displayName", "  note.score:\n    displayName"),
        ("  rating: {displayName", "  score: {displayName"),
        ("[file.name, rating, note.rating]", "[file.name, score, note.score]"),
        ("property: rating\n", "property: score\n"),
        ("{property: note.rating}", "{property: note.score}"),
        ("      rating: Average", "      score: Average"),
        ("      note.rating: 100", "      note.score: 100"),
        ("image: note.rating", "image: note.score"),
    ):
        assert old in expected
        expected = expected.replace(old, new)
    assert done.text == expected
    assert [each.partition(":")[0] for each in done.left] == ["filters.and[2].or[2]", "formulas.long"]


def test_quotes_are_the_ones_that_stand_there_and_come_where_they_are_needed() -> None:
    done = follow("filters: rating > 3\nviews: [{order: [rating]}]\n", PropertyFollower("rating", "a: b"))
    assert done.text == "filters: 'note[\"a: b\"] > 3'\nviews: [{order: ['a: b']}]\n"
    double = follow('filters: "rating == \\"x\\""\n', PropertyFollower("rating", 'say "it"'))
    assert double.left or double.text == 'filters: "note[\\"say \\\\\\"it\\\\\\"\\"] == \\"x\\""\n'


def test_a_base_of_many_places_is_read_a_few_times_and_not_once_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []

    def counted(yaml: str) -> object:
        if len(yaml) > 100:  # else it is one text, of which is looked whether it needs quotes
            read.append(len(yaml))
        return read_yaml(yaml)

    monkeypatch.setattr(following, "read_yaml", counted)
    yaml = "views:\n" + "".join(f"  - {{name: v{number}, order: [rating, x]}}\n" for number in range(500))
    done = follow(yaml, PropertyFollower("rating", "score"))
    assert (done.text, done.edits, done.left) == (yaml.replace("rating", "score"), 500, [])
    assert len(read) == 2
    read.clear()
    hostile = yaml + "other: [*a, *a]\n" + "x:\n  - &a {order: [rating]}\n"
    assert follow(hostile, PropertyFollower("rating", "score")).text == hostile
    assert len(read) < 5


def test_what_cannot_be_edited_holds_nothing_else_back() -> None:
    yaml = (
        "views:\n  - &first {order: [rating]}\n  - *first\n"
        + "".join(f"  - {{name: v{number}, order: [rating]}}\n" for number in range(30))
        + "  - order: &names [rating]\n    sort: *names\n  - order: [rating]\n"
    )
    done = follow(yaml, PropertyFollower("rating", "score"))
    assert done.edits == 31
    assert done.text.count("rating") == 2
    assert len(done.left) == 2
    assert done.text.count("score") == 31


def test_a_broken_base_stays_and_is_named() -> None:
    broken = "filters: [rating\n"
    done = follow(broken, PropertyFollower("rating", "score"))
    assert (done.text, done.left) == (broken, ["its YAML cannot be read"])
    assert follow("filters: [x\n", PropertyFollower("rating", "score")).left == []


def test_what_names_it_in_another_way_is_said() -> None:
    done = follow('filters: \'note["rat" + "ing"] == 1 || x == "rating"\'\n', PropertyFollower("rating", "score"))
    assert done.edits == 0
    assert done.left == ['filters: `note["rat" + "ing"] == 1 || x == "rating"` may name it in another way']


@pytest.mark.slow
@given(st.sampled_from(EXPRESSIONS), st.sampled_from(["score", "my score", "é", "file", "a-b", 'q"', "x'"]))
def test_a_followed_expression_can_be_read_and_names_no_old_property(case: tuple[str, str, object], new: str) -> None:
    _source, expression, _value = case
    for old in ("price", "status", "numbers", "author", "missing"):
        after = in_expression(expression, PropertyFollower(old, new))
        assert in_expression(after, PropertyFollower(old, new)) == after
        parse(after)


@pytest.mark.slow
@given(st.text(max_size=200))
def test_any_text_follows_without_harm(text: str) -> None:
    done = follow(text, PropertyFollower("a", "b"))
    assert done.edits or done.text == text
    assert issubclass(BaseError, Exception)
