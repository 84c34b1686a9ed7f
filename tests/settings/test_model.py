"""Every setting has a default, bounds and an explanation, and a wrong one is named."""

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
    ],
)
def test_a_wrong_value_is_named(values: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidParameters) as caught:
        Settings.parse(values)
    assert says in caught.value.message


@pytest.mark.parametrize("domain", ["localhost", "127.0.0.1", "::1", "*.obsidian.md", "docs.obsidian.md", "[::1]"])
def test_hosts_are_accepted_as_domains(domain: str) -> None:
    assert Settings.parse({"allowedDomains": [domain]}).allowed_domains == (domain,)


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
    risky = Settings(global_rate_limit=900, allow_terminal=True, patch_backup_enabled=False)
    assert len(warnings(risky)) == 3
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
    assert (titles["cacheTTL"], titles["webFetchMaxBytes"]) == ("Cache TTL", "Web fetch max bytes")
    assert described["properties"]["allowTerminal"]["risk"]
    assert described["properties"]["encryptedKeys"]["readOnly"]


def test_what_has_no_effect_is_not_offered() -> None:
    offered = schema(offered=True)
    hidden = schema()["properties"].keys() - offered["properties"].keys()
    assert {"allowTerminal", "webFetchMaxBytes", "cacheTTL", "encryptedKeys", "httpsOnly"} <= hidden
    assert {"allowedOrigins", "ignorePatterns", "anonymizeLog", "globalRateLimit"} <= offered["properties"].keys()
    assert {section["id"] for section in offered["sections"]} == set(SECTIONS) - {"apis"}


def test_a_value_without_effect_is_accepted_with_a_warning() -> None:
    settings = Settings.parse({"webFetchMaxBytes": 4096})
    assert settings.web_fetch_max_bytes == 4096
    assert warnings(settings) == ["webFetchMaxBytes is kept, but has no effect in this version"]
    assert warnings(settings, ["findMaxResults"]) == []


def test_a_list_that_was_written_as_a_word_is_explained() -> None:
    with pytest.raises(InvalidParameters, match="ignorePatterns: write a list, such as"):
        Settings.parse({"ignorePatterns": "Templates"})


def test_descriptions_say_units_and_the_meaning_of_null() -> None:
    for key, member in schema(offered=True)["properties"].items():
        kinds = {kind.get("type") for kind in [member, *member.get("anyOf", [])]}
        if "null" in kinds:
            assert "null: " in member["description"], key
        if key.endswith("Bytes"):
            assert member["description"].endswith(", in bytes."), key
        if key.endswith("Days"):
            assert member["description"].startswith("Days "), key
