"""A sealed key opens with its master key, for its name and its server, and in no other way."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.keys.store import MASTER_BYTES, DoesNotOpen, Label, master_id, new_master, seal, unseal

LABEL = Label("ollama", "https://ollama.com")
KEYS = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=1, max_size=200)


@given(KEYS, st.sampled_from(["ollama", "brave"]), st.sampled_from(["https://a.example", "http://localhost:11434"]))
def test_what_was_sealed_opens_again(key: str, name: str, server: str) -> None:
    master = new_master()
    sealed = seal(key, Label(name, server), master)
    assert unseal(sealed, Label(name, server), master[1]) == key
    assert master_id(sealed) == master[0]


def test_a_sealed_key_tells_nothing_and_is_another_one_each_time() -> None:
    master = new_master()
    first, second = (seal("sk-secret-of-mine", LABEL, master) for _ in range(2))
    assert first != second
    assert b"secret" not in base64.b64decode(first.rpartition(":")[2])


@pytest.mark.parametrize(
    "label",
    [
        Label("brave", "https://ollama.com"),
        Label("ollama", "https://evil.example"),
        Label("ollama", "http://ollama.com"),
        Label("ollamah", "ttps://ollama.com"),
        Label("", "ollama\0https://ollama.com"),
    ],
)
def test_for_another_name_or_another_server_it_does_not_open(label: Label) -> None:
    master = new_master()
    with pytest.raises(DoesNotOpen):
        unseal(seal("sk-secret-of-mine", LABEL, master), label, master[1])


def test_another_master_key_does_not_open_it() -> None:
    sealed = seal("sk-secret-of-mine", LABEL, new_master())
    with pytest.raises(DoesNotOpen):
        unseal(sealed, LABEL, new_master()[1])


@given(st.data())
def test_with_any_bit_changed_it_does_not_open(data: st.DataObject) -> None:
    named, secret = new_master()
    head, _, body = seal("sk-secret-of-mine", LABEL, (named, secret)).rpartition(":")
    raw = bytearray(base64.b64decode(body))
    raw[data.draw(st.integers(0, len(raw) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    with pytest.raises(DoesNotOpen):
        unseal(f"{head}:{base64.b64encode(raw).decode()}", LABEL, secret)


@pytest.mark.parametrize(
    "text", ["", "sk-plain-key", "v1:", "v1:0123456789abcdef:", "v1:0123456789abcdef:AA==", "v2:0123456789abcdef:AAAA"]
)
def test_what_is_no_sealed_key_does_not_open_and_breaks_nothing(text: str) -> None:
    with pytest.raises(DoesNotOpen):
        unseal(text, LABEL, bytes(MASTER_BYTES))


@given(st.text(max_size=300))
def test_no_text_breaks_the_reading(text: str) -> None:
    with pytest.raises(DoesNotOpen):
        unseal(text, LABEL, bytes(MASTER_BYTES))
