"""What a log may hold of a value."""

import enum
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.policy.redaction import (
    MAX_DEPTH,
    MAX_MEMBERS,
    MAX_TEXT,
    Secrets,
    hide_secrets,
    is_sensitive,
    redact,
    redact_text,
)

OPENAI = "sk-proj-abcdefghijklmnop1234"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n-----END RSA PRIVATE KEY-----"


@pytest.mark.parametrize(
    "name",
    [
        *("api_key", "apiKey", "API-KEY", "X-Api-Key", "ollamaApiKey", "token", "auth_token", "Authorization"),
        *("password", "db.password", "client_secret", "Set-Cookie", "cookies", "tokens", "private key", "refreshToken"),
    ],
)
def test_members_with_sensitive_names_are_hidden_however_they_are_written(name: str) -> None:
    assert redact({name: "hunter2", "query": "tea"}) == {name: "[REDACTED]", "query": "tea"}
    assert redact({"headers": [{name: {"deep": "hunter2"}}]}) == {"headers": [{name: "[REDACTED]"}]}


@pytest.mark.parametrize("name", ["path", "query", "tokenizer", "keyword", "author", "secretary", "keys_path"])
def test_members_with_other_names_are_kept(name: str) -> None:
    assert redact({name: "tea"}) == {name: "tea"}


def test_a_tool_may_name_further_sensitive_parameters() -> None:
    assert redact({"post_data": "x", "postData": "y", "b": 1}, frozenset({"postData"})) == {
        "post_data": "[REDACTED]",
        "postData": "[REDACTED]",
        "b": 1,
    }
    assert is_sensitive("Post-Data", frozenset({"post_data"}))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"use {OPENAI} please", "use [REDACTED] please"),
        ("curl -H 'Authorization: Basic dXNlcjpwYXNz' x", "curl -H 'Authorization: [REDACTED]' x"),
        ('{"Authorization": "Token abc"}', '{"Authorization": "[REDACTED]"}'),
        ("Bearer abcdefghijklmnopqrstuvwx", "Bearer [REDACTED]"),
        ("vault-bridge.v1, bearer.abcdefghijklmnopqrstuvwx", "vault-bridge.v1, bearer.[REDACTED]"),
        ("ghp_" + "a1" * 18, "[REDACTED]"),
        ("github_pat_" + "A1" * 20, "[REDACTED]"),
        ("glpat-" + "a1" * 10, "[REDACTED]"),
        ("AKIAIOSFODNN7EXAMPLE", "[REDACTED]"),
        ("sk_live_" + "a1" * 10, "[REDACTED]"),
        ("xoxb-1234567890-abcdef", "[REDACTED]"),
        ("AIza" + "Sy" * 18, "[REDACTED]"),
        ("hf_" + "aB" * 12, "[REDACTED]"),
        (f"jwt {JWT}.", "jwt [REDACTED]."),
        (f"a\n{PEM}\nb", "a\n[REDACTED]\nb"),
        (PEM[:60], "[REDACTED]"),
        ("https://ada:p@ss@example.org/x", "https://[REDACTED]@example.org/x"),
        ("https://example.org/x?key=abc&page=2", "https://example.org/x?key=[REDACTED]&page=2"),
        ("https://example.org/x?access_token=abc&page=2", "https://example.org/x?access_token=[REDACTED]&page=2"),
        ("password: correct horse battery", "password: [REDACTED]"),
        ("api_key = abc, b = 2", "api_key = [REDACTED], b = 2"),
        ('{"apiKey": "a b c", "b": 2}', '{"apiKey": [REDACTED], "b": 2}'),
        ("token: Bearer abcdefghijklmnopqrstuvwx", "token: [REDACTED] [REDACTED]"),
        ("aws wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY.", "aws [REDACTED]."),
        (
            "DefaultEndpointsProtocol=https;AccountKey=" + "aB3/" * 21 + "==;x",
            "DefaultEndpointsProtocol=https;AccountKey=[REDACTED];x",
        ),
        ("SG." + "aB3-" * 5 + "xy." + "aB3_" * 10 + "xyz", "[REDACTED]"),
        ("https://hooks.slack.com/services/T000/B000/XXXXXXXX now", "https://hooks.slack.com/services/[REDACTED] now"),
        ("bot MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs", "bot [REDACTED]"),
        ("bot 110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1", "bot [REDACTED]"),
        ("SK" + "0a" * 16, "[REDACTED]"),
        ("Passwort: hunter2", "Passwort: [REDACTED]"),
        ("Mot de passe\u00a0: hunter2", "Mot de passe\u00a0: [REDACTED]"),
        ("contraseña = hunter2", "contraseña = [REDACTED]"),
        ("SENHA: hunter2", "SENHA: [REDACTED]"),
        ("wachtwoord: hunter2", "wachtwoord: [REDACTED]"),
        ("Hasło: hunter2", "Hasło: [REDACTED]"),
        ("ПАРОЛЬ: hunter2", "ПАРОЛЬ: [REDACTED]"),
        ("我的密码\uff1ahunter2", "我的密码\uff1a[REDACTED]"),
        ("パスワード: hunter2", "パスワード: [REDACTED]"),
        ("Notes/api-key sk-0123456789abcdefghij.md", "Notes/api-key [REDACTED].md"),
    ],
)
def test_strings_that_look_like_keys_are_hidden_inside_any_text(text: str, shown: str) -> None:
    assert redact_text(text) == shown
    assert redact({"note": [text]}) == {"note": [shown]}


@pytest.mark.parametrize(
    "text",
    [
        "task-abcdefghijklmnopqrstuvwxyz",
        "Basic information about the bearer of bad news",
        "The password is not written here",
        "see https://example.org/a@b and mail ada@example.org",
        "[[Token economy]] and #secret-santa",
        "naïve 日本語 🎉",
        "Resenha: um livro sobre senhas",
        "Das Passwort steht nicht hier",
        "commit da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "Projects/2026/MyGreatPlanForTheSummerXyz1",
        "MeetingNotesAboutTheGreatPlan2026Part123",
        "Score 12345678:AA and SG.1",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert redact_text(text) == text


def test_keys_in_the_names_of_members_are_hidden_too() -> None:
    assert redact({OPENAI: 1}) == {"[REDACTED]": 1}


def test_our_own_secrets_are_hidden_wherever_they_stand() -> None:
    secrets = Secrets()
    secrets.add("")
    secrets.add("abc")
    secrets.add("abcdef")
    assert redact({"text": "x-abcdef-abc-y"}, secrets=secrets) == {"text": "x-[REDACTED]-[REDACTED]-y"}
    assert hide_secrets("nothing here", secrets) == "nothing here"


def test_long_strings_are_cut_with_a_note_of_their_length() -> None:
    assert redact_text("a" * MAX_TEXT) == "a" * MAX_TEXT
    assert redact_text("a" * 2_345) == "a" * MAX_TEXT + "… [2,345 characters]"


@pytest.mark.parametrize("before", [0, 1_980, 1_999, 2_000, 10_180, 10_191, 12_000])
def test_no_piece_of_a_key_shows_at_a_cut(before: int) -> None:
    text = "." * (before - 1) + " " * (before > 0) + OPENAI + "." * 9_000
    assert "sk-" not in redact_text(text)


def test_no_piece_of_a_key_shows_when_what_is_before_it_shrinks() -> None:
    text = "-----BEGIN PRIVATE KEY-----" + "a" * 10_120 + "-----END PRIVATE KEY----- " + OPENAI + "." * 9_000
    assert "sk-" not in redact_text(text)


class Colour(enum.Enum):
    RED = "red"


class Size(enum.StrEnum):
    BIG = "big"


class Ratio(float):
    """A float that is not quite one."""


def test_subclasses_of_json_types_become_those_types() -> None:
    shown = redact({Size.BIG: Size.BIG, "ratio": Ratio(0.5)})
    assert orjson.dumps(shown) == b'{"big":"big","ratio":0.5}'


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, None),
        (True, True),
        (2**62, 2**62),
        (2**70, "[integer of 71 bits]"),
        (1.5, 1.5),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        (b"\x00secret", "[7 bytes]"),
        (datetime(2026, 1, 2, tzinfo=UTC), "2026-01-02T00:00:00+00:00"),
        (Colour.RED, "red"),
        (Path("/home/ada"), f"[{type(Path()).__name__}]"),
        (("a", 1), ["a", 1]),
        ({1: "a", None: "b"}, {"1": "a", "None": "b"}),
        ("broken \ud800 surrogate", "broken \\ud800 surrogate"),
    ],
)
def test_what_is_not_json_is_made_safe(value: Any, shown: Any) -> None:
    assert redact(value) == shown


def test_large_and_deep_structures_are_cut() -> None:
    wide = redact(list(range(MAX_MEMBERS + 5)))
    assert wide[-1] == "[5 more items]"
    assert redact({str(number): number for number in range(MAX_MEMBERS + 5)})["…"] == "[5 more members]"
    deep: Any = "end"
    for _ in range(10_000):
        deep = [deep]
    assert orjson.dumps(redact(deep)).count(b"[") == MAX_DEPTH + 1
    cyclic: dict[str, Any] = {}
    cyclic["self"] = cyclic
    assert orjson.dumps(redact(cyclic))
    assert len(orjson.dumps(redact([["x" * 1000] * 200] * 200))) < 500_000


@pytest.mark.parametrize(
    "hostile",
    ["token: " * 50_000, "-----BEGIN PRIVATE KEY-----" * 50_000, "eyJ" * 50_000, ":" * 100_000, "http://" * 50_000],
)
def test_hostile_text_of_any_length_is_answered_within_a_bound(hostile: str) -> None:
    assert len(redact_text(hostile)) < MAX_TEXT + 100


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text() | st.integers(), inner, max_size=4),
    max_leaves=20,
)


@settings(max_examples=100)
@given(value=JSON)
def test_whatever_goes_in_valid_json_comes_out(value: Any) -> None:
    shown = redact(value)
    assert json.loads(orjson.dumps(shown)) == shown


@settings(max_examples=100)
@given(
    before=st.text(max_size=40), after=st.text(max_size=40), key=st.sampled_from([JWT, "AKIAIOSFODNN7EXAMPLE", OPENAI])
)
def test_a_planted_key_never_comes_through(before: str, after: str, key: str) -> None:
    shown = redact({f"{before} {key} {after}": f"{before} {key} {after}"})
    assert key not in str(shown)
