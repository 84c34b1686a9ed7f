"""Names of clients that a person could take for another one's."""
# ruff: noqa: RUF001 - the letters look alike on purpose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.clock import SystemClock
from bridge.errors import InvalidParameters
from bridge.identity.store import ClientStore, fault_of, look_of
from bridge.vault.text import AS_LATIN
from tests.identities import PrivateFiles

LIKE_BETA = [
    *(
        "Вeta",
        "Βeta",
        "Веtа",
        "Вета",
        "вета",
        "βετα",
        "𝐁eta",
        "Ｂeta",
        "B\u00e9ta",
        "BETA",
        "be ta",
        "Beta.",
        "B-e-t-a",
    ),
    *("B\u200beta", "Be\u00adta", "Beta\u3164", "Beta\u115f", "\u2800Beta", "Beta\u0301", "ꓐeta", "ᏴᎬᎢᎪ", "Ᏼeta"),
]
OURS = [
    "Chat",
    "Obsidian",
    "You",
    "you",
    "Υou",
    "Yоu",
    "Оbsidian",
    "0bsidian",
    "Сhat",
    "CHAT",
    "Vault Bridge",
    "The user",
]


@pytest.fixture
def store() -> ClientStore:
    return ClientStore(PrivateFiles(), clock=SystemClock())


@pytest.mark.parametrize("name", LIKE_BETA)
def test_a_name_that_looks_like_another_clients_is_refused_for_new_and_for_old_clients(
    store: ClientStore, name: str
) -> None:
    store.add("Beta")
    other, _ = store.add("Gamma")
    with pytest.raises(InvalidParameters):
        store.add(name)
    with pytest.raises(InvalidParameters):
        store.rename(other.client_id, name)
    assert [client.name for client in store.list()] == ["Beta", "Gamma"]


@pytest.mark.parametrize("name", OURS)
def test_what_the_bridge_calls_others_is_no_clients_name(store: ClientStore, name: str) -> None:
    with pytest.raises(InvalidParameters):
        store.add(name)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Bill", "BiIl"), ("Agent O1", "Agent Ol"), ("Modern", "Modem"), ("Claude", "CIaude"), ("Claude", "daude")],
)
def test_letters_and_digits_that_look_alike_are_one(store: ClientStore, one: str, other: str) -> None:
    store.add(one)
    with pytest.raises(InvalidParameters, match="looks like"):
        store.add(other)


@pytest.mark.parametrize(
    "names",
    [
        ["Claude Code", "Claude Desktop", "Codex", "Cursor", "VS Code", "Gemini CLI", "OpenCode", "Claude Code 2"],
        [
            "Агент",
            "Помощник Claude",
            "Βοηθός",
            "助手",
            "AIアシスタント",
            "도우미",
            "مساعد",
            "עוזר",
            "सहायक",
            "José",
            "Müller's bot",
        ],
        ["Client 1", "Client 2", "Client 10", "Client 11", "🤖", "🦊", "notes-bot_v2", "x"],
    ],
)
def test_names_that_people_give_are_taken(store: ClientStore, names: list[str]) -> None:
    for name in names:
        store.add(name)
    assert [client.name for client in store.list()] == names


def test_a_client_may_keep_its_name_in_another_spelling(store: ClientStore) -> None:
    client, _ = store.add("beta")
    assert store.rename(client.client_id, "Beta").name == "Beta"


_FOREIGN = {chr(latin): chr(foreign) for foreign, latin in AS_LATIN.items()}


@given(st.text("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ 0123456789", min_size=1, max_size=20), st.data())
def test_swapping_letters_for_lookalikes_never_makes_another_name(name: str, data: st.DataObject) -> None:
    swapped = "".join(_FOREIGN.get(letter, letter) if data.draw(st.booleans()) else letter for letter in name)
    assert look_of(swapped) == look_of(name) or fault_of(swapped) is not None
