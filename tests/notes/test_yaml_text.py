"""YAML of strangers: plain values, and bounds in time, memory and depth."""

import json
import subprocess
import sys
import threading
from typing import Any

import pytest

from bridge.notes.frontmatter import MAX_DEPTH, MAX_LENGTH, BrokenYaml, read_yaml


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2: a\n1.5: b\ntrue: c\n~: d", {"2": "a", "1.5": "b", "true": "c", "": "d"}),
        ("? [a, b]\n: c", {"[ a, b ]": "c"}),
        ("a: .nan\nb: .inf\nc: -.inf", {"a": ".nan", "b": ".inf", "c": "-.inf"}),
        ("a: !x b\nc: !!binary aGk=\nd: !!timestamp 2020-01-01", {"a": "b", "c": "aGk=", "d": "2020-01-01"}),
        ("a: &x [1]\nb: *x", {"a": [1], "b": [1]}),
        ("x: &a {k: 1}\ny:\n  <<: *a\n  z: 2", {"x": {"k": 1}, "y": {"<<": {"k": 1}, "z": 2}}),
        ('a: "\\ud83d\\ude00"', {"a": "\U0001f600"}),
        ("a: \udcff", {"a": "\ufffd"}),
        ("", None),
        # rule 47: a tab may stand behind a colon
        ("a:\tb\n'c d': \t1\nl:\n  - x:\ty\n", {"a": "b", "c d": 1, "l": [{"x": "y"}]}),
        ("a:\tb\ns: |\n  c:\td\n\n  e\nf:\tg", {"a": "b", "s": "c:\td\n\ne\n", "f": "g"}),
        ('a:\tb\nq: "c:\td"', {"a": "b", "q": "c:\td"}),
        ("a: 123456789012345678901234567890", {"a": 1.2345678901234568e29}),
    ],
)
def test_values_are_such_as_json_has(text: str, expected: Any) -> None:
    value = read_yaml(text)
    assert value == expected
    json.dumps(value, allow_nan=False)


@pytest.mark.parametrize(
    "text",
    ["a: [", "a: b: c", "a: *nobody", "a: @b", "a: " + "b" * MAX_LENGTH],
    ids=["bracket", "colons", "alias", "sign", "length"],
)
def test_what_is_not_read(text: str) -> None:
    with pytest.raises(BrokenYaml):
        read_yaml(text)


DEEP = {
    "sequences in one line": "a:\n" + "- " * 100_000 + "x",
    "keys in one line": "? " * 100_000 + "x",
    "indented maps": "\n".join(" " * depth + "a:" for depth in range(700)),
    "indented lists": "\n".join(" " * depth + "-" for depth in range(700)),
    "tabs": "\n".join("\t" * depth + "a:" for depth in range(700)),
    "brackets": "a: " + "[" * 100_000 + "]" * 100_000,
    "braces": "{a: " * 100_000,
    "open brackets": "[" * 100_000,
    "brackets within lists": "- " * 23 + "[" * 250 + "]" * 250,
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP.keys())
def test_deep_nesting_is_refused_even_on_a_small_stack(text: str) -> None:
    """In another process: a stack that overflows ends it. Threads of macOS have 512 KiB."""
    program = (
        "import sys, threading\n"
        "from bridge.notes.frontmatter import BrokenYaml, read_yaml\n"
        "text = sys.stdin.read()\n"
        "def read():\n"
        "    try:\n"
        "        read_yaml(text)\n"
        "    except BrokenYaml:\n"
        "        print('refused')\n"
        "threading.stack_size(512 * 1024)\n"
        "thread = threading.Thread(target=read)\n"
        "thread.start()\n"
        "thread.join()\n"
    )
    done = subprocess.run(  # noqa: S603  # our own interpreter and program
        [sys.executable, "-c", program], input=text, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert (done.returncode, done.stdout) == (0, "refused\n"), done.stderr


def test_nesting_within_the_limit_is_read() -> None:
    depth = MAX_DEPTH - 2
    value = read_yaml("\n".join(" " * level + "a:" for level in range(depth)))
    for _ in range(depth):
        value = value["a"]
    assert value is None


def test_deeply_indented_text_is_no_nesting() -> None:
    assert read_yaml("a: |\n" + " " * 90 + "x\nb: 1") == {"a": "x\n", "b": 1}


def test_aliases_that_multiply_are_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    with pytest.raises(BrokenYaml):
        read_yaml("\n".join(lines))
    with pytest.raises(BrokenYaml):
        read_yaml(f"a: &a {'x' * 10_000}\nb: [{', '.join(['*a'] * 10_000)}]")


def test_signs_that_are_no_aliases_are_no_reason_to_refuse() -> None:
    text = "a: R&D and **bold** and *more*\nb: http://x.y/?p=1&q=2\n" + "c: '*x* & *y*'\n"
    assert read_yaml(text)["a"] == "R&D and **bold** and *more*"


def test_many_threads_may_read_at_once() -> None:
    values: list[Any] = []
    threads = [threading.Thread(target=lambda: values.append(read_yaml("a: [b, c]"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert values == [{"a": ["b", "c"]}] * 8
