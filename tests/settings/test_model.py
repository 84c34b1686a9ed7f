"""Every setting has a default, bounds and an explanation, and a wrong one is named."""

import re
from typing import Any

import pytest

from bridge.errors import InvalidParameters
from bridge.identity.caller import PERSON
from bridge.settings.model import SECTIONS, Settings, merge, schema, warnings
from bridge.toolkit.registry import ToolRegistry

DEFAULTS_OF_THE_DOCUMENT = {
    "enabledTools": ["find", "grep", "read"],
    "developerMode": False,
    "globalRateLimit": 200,
    "cacheEnabled": True,
    "cacheTTL": 3600,
    "maxCacheSize": 104857600,
    "ollamaWebSearchEndpoint": "http://localhost:11434",
    "allowedDomains": ["localhost", "127.0.0.1"],
    "allowAllDomains": False,
    "blockExternalRequests": False,
    "httpsOnly": True,
    "maxResponseSize": 10485760,
    "enableAuditLog": True,
    "auditLogRetentionDays": 30,
    "logParameterValues": True,
    "anonymizeLog": False,
    "shareUsageStatistics": False,
    "findMaxResults": 50,
    "grepContextLines": 2,
    "readMaxBytes": 1048576,
    "portableNames": True,
    "patchBackupEnabled": True,
    "webSearchMaxResults": 5,
}


def test_defaults_are_those_of_the_document() -> None:
    wire = Settings().to_wire()
    assert {key: wire[key] for key in DEFAULTS_OF_THE_DOCUMENT} == DEFAULTS_OF_THE_DOCUMENT


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"developermode": True}, "Unknown setting 'developermode'; did you mean 'developerMode'?"),
        ({"developerMode": "yes"}, "developerMode: Input should be a valid boolean"),
        ({"developerMode": 1}, "developerMode: Input should be a valid boolean"),
        ({"rateLimits": {"grep": 0}}, "rateLimits.grep: Input should be greater than or equal to 1"),
        ({"rateLimits": {"grep": 1001}}, "rateLimits.grep: Input should be less than or equal to 1000"),
        ({"consentMode": {"grep": "sometimes"}}, "consentMode.grep"),
        ({"auditLogRetentionDays": 31}, "auditLogRetentionDays"),
        ({"allowedDomains": ["javascript:alert(1)"]}, "is not a host name"),
        ({"allowedDomains": ["https://example.org/x"]}, "is not a host name"),
        ({"allowedOrigins": ["example.org"]}, "allowedOrigins"),
        ({"terminalFolder": "../elsewhere"}, "terminalFolder: "),
        ({"terminalFolder": "/etc"}, "terminalFolder: "),
        ({"terminalFolder": ".obsidian"}, "begins with a dot"),
        ({"terminalFolder": ".git/hooks"}, "terminalFolder: "),
    ],
)
def test_a_wrong_value_is_named(values: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidParameters) as caught:
        Settings.parse(values)
    assert says in caught.value.message


@pytest.mark.parametrize("domain", ["localhost", "127.0.0.1", "::1", "*.obsidian.md", "docs.obsidian.md", "[::1]"])
def test_hosts_are_accepted_as_domains(domain: str) -> None:
    assert Settings.parse({"allowedDomains": [domain]}).allowed_domains == (domain,)


@pytest.mark.parametrize(
    "address",
    [
        "http://localhost:11434",
        "https://ollama.com",
        "https://ollama.com/",
        "http://[::1]:11434",
        "http://10.0.0.2:8080/base",
    ],
)
def test_services_have_addresses(address: str) -> None:
    assert Settings.parse({"ollamaWebSearchEndpoint": address}).ollama_web_search_endpoint == address


@pytest.mark.parametrize(
    "address",
    [
        *(
            "",
            "localhost",
            "localhost:11434",
            "ftp://localhost",
            "file:///etc/passwd",
            "javascript:alert(1)",
            "https://",
        ),
        *(
            "http://user@host",
            "http://user:secret@host",
            "http://host?x",
            "http://host#x",
            "http://host\\@evil",
            "http:// host",
        ),
        *(
            "http://host:0",
            "http://host:99999",
            "http://host:x",
            "http://h\u043est",
            "http://host/a\nb",
            "//host",
            "http:///x",
        ),
    ],
)
def test_what_is_no_address_of_a_server_is_refused(address: str) -> None:
    with pytest.raises(InvalidParameters, match="ollamaWebSearchEndpoint"):
        Settings.parse({"ollamaWebSearchEndpoint": address})


def test_tools_that_do_not_exist_yet_may_be_named() -> None:
    parsed = Settings.parse({"enabledTools": ["later"], "consentMode": {"later": "always_ask"}, "rateLimits": {"z": 3}})
    assert parsed.enables("later")
    assert not parsed.enables("grep")


def test_everything_enables_any_tool() -> None:
    assert Settings(enabled_tools=ToolRegistry().presets(PERSON)["everything"]).enables("whatever")


def test_objects_merge_deeply_and_lists_are_replaced() -> None:
    base = {"consentMode": {"grep": "always_ask"}, "enabledTools": ["a", "b"]}
    patch = {"consentMode": {"read": "always_allow"}, "enabledTools": ["c"]}
    assert merge(base, patch) == {
        "consentMode": {"grep": "always_ask", "read": "always_allow"},
        "enabledTools": ["c"],
    }


def test_high_rates_and_open_doors_are_warned_of() -> None:
    risky = Settings(global_rate_limit=900, allow_terminal=True, allow_custom_tools=True, patch_backup_enabled=False)
    assert len(warnings(risky)) == 4
    assert warnings(Settings()) == []


def test_every_setting_says_where_it_belongs_and_what_it_means() -> None:
    for name, member in schema()["properties"].items():
        assert member["section"], name
        assert member["description"].endswith("."), name


def test_encrypted_keys_are_never_shown() -> None:
    assert "cipher" not in str(Settings(encrypted_keys={"ollama": "cipher"}).to_wire())


def test_the_schema_has_all_that_a_form_needs() -> None:
    described = schema()
    assert [section["id"] for section in described["sections"]] == list(SECTIONS)
    for key, member in described["properties"].items():
        assert member["section"] in SECTIONS
        assert member["default"] == Settings().to_wire()[key]
        assert member["title"][0].isupper()
        assert " " not in key
    titles = {key: member["title"] for key, member in described["properties"].items()}
    assert (titles["cacheTTL"], titles["webFetchMaxBytes"]) == ("Keep web results for", "Largest web page")
    assert described["properties"]["allowTerminal"]["risk"]
    assert described["properties"]["encryptedKeys"]["readOnly"]


def test_what_has_no_effect_is_not_offered() -> None:
    offered = schema(offered=True)
    hidden = schema()["properties"].keys() - offered["properties"].keys()
    assert "shareUsageStatistics" in hidden
    assert {"allowedOrigins", "ignorePatterns", "cacheTTL", "httpsOnly", "globalRateLimit"} <= offered[
        "properties"
    ].keys()
    assert {section["id"] for section in offered["sections"]} == set(SECTIONS)


def test_a_value_without_effect_is_accepted_with_a_warning() -> None:
    settings = Settings.parse({"shareUsageStatistics": True})
    assert settings.share_usage_statistics
    assert warnings(settings) == ["shareUsageStatistics is kept, but has no effect in this version"]
    assert warnings(settings, {"findMaxResults": 7}) == []


def test_a_list_that_was_written_as_a_word_is_explained() -> None:
    with pytest.raises(InvalidParameters, match="ignorePatterns: write a list, such as"):
        Settings.parse({"ignorePatterns": "Templates"})


def test_every_number_of_bytes_or_days_has_its_unit_and_every_null_its_meaning() -> None:
    units = {
        "Bytes": "bytes",
        "Days": "days",
        "Timeout": "seconds",
        "Limits": "calls a minute",
        "Limit": "calls a minute",
    }
    for key, member in schema()["properties"].items():
        kinds = {kind.get("type") for kind in [member, *member.get("anyOf", [])]}
        assert ("null" in kinds) == ("none" in member), key
        ending = next((ending for ending in units if key.endswith(ending)), None)
        assert ending is None or member["unit"] == units[ending], key


WIRE_WORDS = re.compile(
    r"\b(null|bool\w*|int\w*|string|array|JSON|boolean|param|bytes|seconds|days|default_\w+|[a-z]+[A-Z]\w*)\b"
)


def test_labels_are_written_for_people() -> None:
    for key, member in schema(offered=True)["properties"].items():
        title, text = member["title"], member["description"]
        assert title.split()[1:] == [
            word for word in title.split()[1:] if word[0].islower() or not word.isalpha() or word[:2].isupper()
        ], key
        assert not WIRE_WORDS.search(title + " " + text), key
        assert not title.endswith("."), key
        assert text.endswith("."), key
    titles = [member["title"] for member in schema()["properties"].values()]
    assert len(set(titles)) == len(titles)


def test_null_takes_a_tools_own_limit_or_mode_out_again() -> None:
    base = {"rateLimits": {"grep": 5, "read": 6}, "backupRetentionDays": 3}
    patch = {"rateLimits": {"grep": None}, "consentMode": {"grep": None}, "backupRetentionDays": None}
    assert merge(base, patch) == {"rateLimits": {"read": 6}, "consentMode": {}, "backupRetentionDays": None}


@pytest.mark.parametrize("key", sorted(schema(offered=True)["properties"]))
def test_a_setting_says_what_it_does_in_fewer_than_twenty_words(key: str) -> None:
    assert 0 < len(schema()["properties"][key]["description"].split()) < 20


def test_what_few_people_change_is_marked_and_no_page_has_more_than_twelve_others() -> None:
    properties = schema(offered=True)["properties"]
    usual = [member["section"] for member in properties.values() if not member.get("rare")]
    assert max(usual.count(section) for section in usual) <= 12


@pytest.mark.parametrize(
    ("word", "key"),
    [
        ("offline", "blockExternalRequests"),
        ("shell", "allowTerminal"),
        ("embeddings", "semanticSearch"),
        ("exclude", "ignorePatterns"),
        ("expire", "grantExpiryDays"),
        ("undo", "patchBackupEnabled"),
        ("mcp", "allowMcpServers"),
    ],
)
def test_a_setting_is_found_by_what_people_call_it(word: str, key: str) -> None:
    assert word in schema()["properties"][key]["also"]
