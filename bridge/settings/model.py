"""Every setting of one vault, with the keys of `docs/settings.md`.

A setting is one field here: its label and the sentence that explains it, its default, its bounds, and the section of
the settings screen it belongs to. Everything else (validation, `settings.schema`, the command line, the plugin's form)
is derived from these fields.
"""

import difflib
import re
from collections.abc import Collection, Iterable
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints, ValidationError, model_validator
from pydantic.alias_generators import to_camel

from bridge.contract.settings import Section
from bridge.errors import InvalidParameters

MAX_RATE = 1000
LONGEST_NAME = 100
"""Characters of an unknown key that are compared and repeated."""
HIGH_RATE = 300
"""Calls a minute above which there is a warning."""

MINIMAL_TOOLS = ("find", "grep", "read")
"""The tools that agents see where nobody chose."""

SECTIONS: dict[str, str] = {
    "tools": "Tools and consent",
    "apis": "External services",
    "network": "Network",
    "performance": "Performance",
    "privacy": "Privacy and log",
    "toolSpecific": "Single tools",
}
"""The sections of the settings screen and their titles, in order."""

RISKS: dict[str, str] = {
    "allow_all_domains": "agents may reach any public host",
    "allow_terminal": "agents may ask to run commands on this machine",
    "allow_custom_tools": "your own tools run code on this machine",
    "allow_mcp_servers": "MCP servers are programs on this machine",
}
"""Switches that open something, and what."""

_HOST = re.compile(
    r"^(\*\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*\.?$|^[0-9a-f:.]+$|^\[[0-9a-f:.]+\]$"
)

Rate = Annotated[int, Field(ge=1, le=MAX_RATE)]
Mode = Literal["always_ask", "session_allow", "always_allow", "never_allow"]
Origin = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9+.-]*://[^/\s]+$")]


def _setting(
    section: Section, title: str, description: str, default: Any = ..., *, available: bool = True, **bounds: Any
) -> Any:
    """A field of the settings.

    Args:
        section: Where the settings screen shows it.
        title: Its label there.
        description: What it does, in a sentence. The plugin's form reads units and the meaning of null from it:
            "Seconds ...", "Days ...; null: never.", "..., in bytes."
        default: Its value when nothing is set, or a function that makes it.
        available: Whether anything reads it in this version; if not, it is kept but not offered.
        **bounds: As pydantic's `Field` takes them.
    """
    extra: dict[str, JsonValue] = {"section": section} | ({} if available else {"available": False})
    given: dict[str, Any] = {"default_factory": default} if callable(default) else {"default": default}
    return Field(**given, title=title, description=description, json_schema_extra=extra, **bounds)


_tools = partial(_setting, "tools")
_network = partial(_setting, "network")
_performance = partial(_setting, "performance")
_privacy = partial(_setting, "privacy")
_single = partial(_setting, "toolSpecific")
_later = partial(_setting, available=False)
"""For what this version does not read yet."""


class Settings(BaseModel):
    """All settings of one vault. Immutable: a change makes a new one."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True, extra="forbid", strict=True)

    enabled_tools: tuple[str, ...] = _tools(
        "Enabled tools", "The tools that agents can see; `*` stands for all.", lambda: MINIMAL_TOOLS, strict=False
    )
    consent_mode: dict[str, Mode] = _tools(
        "When tools ask", "When each tool asks for permission; tools not listed use their own default.", dict
    )
    developer_mode: bool = _tools(
        "Developer mode",
        "Read-only tools run without asking, and the console shows every call with its time.",
        default=False,
    )
    consent_timeout: int = _tools("Time to answer", "Seconds a question waits for an answer.", 300, ge=1, le=86_400)
    grant_expiry_days: int | None = _tools(
        "Permissions expire after",
        "Days after which an unused permanent permission ends; null: never.",
        30,
        ge=1,
        le=3650,
    )

    ollama_web_search_endpoint: str = _later(
        "apis", "Ollama web search address", "The server that answers web searches.", "http://localhost:11434"
    )
    encrypted_keys: dict[str, str] = _later("apis", "API keys", "Encrypted API keys.", dict)

    allowed_domains: tuple[str, ...] = _later(
        "network",
        "Allowed domains",
        "Hosts that `web_fetch` can reach; `*.example.org` covers subdomains.",
        lambda: ("localhost", "127.0.0.1"),
        strict=False,
    )
    allow_all_domains: bool = _later(
        "network", "Allow all domains", "Any public host can be fetched. This is risky.", default=False
    )
    block_external_requests: bool = _later(
        "network", "Block external requests", "Nothing leaves this computer.", default=False
    )
    https_only: bool = _later("network", "HTTPS only", "`http:` addresses are upgraded to `https:`.", default=True)
    max_response_size: int = _later(
        "network", "Largest response", "Largest response, in bytes.", 10_485_760, ge=1024, le=1_073_741_824
    )
    follow_redirects: bool = _later(
        "network", "Follow redirects", "Redirects are followed, and each is checked.", default=True
    )
    max_redirects: int = _later("network", "Most redirects", "Most redirects to follow in one request.", 5, ge=0, le=20)
    request_timeout: int = _later("network", "Request timeout", "Seconds a request can take.", 30, ge=1, le=600)
    allowed_origins: tuple[Origin, ...] = _network(
        "Allowed web pages", "Web origins that can connect to the bridge, besides Obsidian's.", lambda: (), strict=False
    )
    allow_terminal: bool = _later(
        "network", "Allow terminal", "Agents can ask to run commands. This is risky.", default=False
    )
    allow_custom_tools: bool = _later(
        "network", "Allow custom tools", "Your own tools can run code. This is risky.", default=False
    )
    allow_mcp_servers: bool = _later(
        "network", "Allow MCP servers", "MCP servers can be started. This is risky.", default=False
    )

    rate_limits: dict[str, Rate] = _performance(
        "Limits per tool", "Calls per minute for single tools, instead of their default.", dict
    )
    global_rate_limit: Rate = _performance("Limit for all tools", "Calls per minute for all tools together.", 200)
    cache_enabled: bool = _later(
        "performance", "Cache web results", "Results from the web are kept for a while.", default=True
    )
    cache_ttl: int = _later(
        "performance", "Cache TTL", "Seconds a result from the web is kept.", 3600, ge=0, alias="cacheTTL"
    )
    max_cache_size: int = _later(
        "performance", "Largest cache", "Largest size of the cache, in bytes.", 104_857_600, ge=0
    )

    enable_audit_log: bool = _privacy("Keep a log", "Every call and every decision is logged.", default=True)
    audit_log_retention_days: Literal[7, 30, 90] | None = _privacy(
        "Keep the log for", "Days the log is kept; null: forever.", 30
    )
    log_parameter_values: bool = _privacy(
        "Log parameter values", "The log includes the values that tools are called with.", default=True
    )
    anonymize_log: bool = _privacy("Hide paths in the log", "The log leaves out file paths.", default=False)
    share_usage_statistics: bool = _later("privacy", "Share usage statistics", "Nothing is ever shared.", default=False)

    find_max_results: int = _single("Find: results", "Most results that `find` returns.", 50, ge=1, le=10_000)
    grep_context_lines: int = _single(
        "Grep: context lines", "Lines that `grep` shows around each match.", 2, ge=0, le=50
    )
    grep_max_matches: int = _single("Grep: matches", "Most matches that `grep` returns.", 100, ge=1, le=10_000)
    read_max_bytes: int = _single(
        "Read: size", "Largest part of a file that `read` returns, in bytes.", 1_048_576, ge=1, le=16_777_216
    )
    max_output_bytes: int = _single(
        "Largest answer", "Most text that a tool returns to an agent, in bytes.", 65_536, ge=1024, le=16_777_216
    )
    ignore_patterns: tuple[str, ...] = _single(
        "Ignored files", "Files that `find` and `grep` skip, as glob patterns.", lambda: (), strict=False
    )
    patch_backup_enabled: bool = _single(
        "Keep backups", "Keep what a change replaces, so that it can be undone.", default=True
    )
    backup_retention_days: int | None = _single("Keep backups for", "Days backups are kept; null: forever.", 30, ge=1)
    web_search_max_results: int = _later(
        "toolSpecific", "Web search: results", "Most results that `web_search` returns.", 5, ge=1, le=50
    )
    web_search_default_freshness: Literal["day", "week", "month", "year"] | None = _later(
        "toolSpecific", "Web search: freshness", "How old a result of `web_search` can be.", None
    )
    web_fetch_max_bytes: int = _later(
        "toolSpecific", "Web fetch max bytes", "Most bytes that `web_fetch` returns.", 512_000, ge=1024
    )

    @model_validator(mode="after")
    def _domains_are_hosts(self) -> "Settings":
        """Each is a host name or an address, perhaps with `*.` before it; never a URL."""
        for domain in self.allowed_domains:
            if not _HOST.match(domain.lower()):
                raise ValueError(f"allowedDomains: {domain!r} is not a host name or address; leave out scheme and path")
        return self

    @classmethod
    def parse(cls, values: dict[str, Any]) -> "Settings":
        """Settings from their JSON form; keys that are absent have their default.

        Raises:
            InvalidParameters: With the first fault, the key it is in, and the nearest key for an unknown one.
        """
        try:
            return cls.model_validate(values, by_alias=True, by_name=False)
        except ValidationError as error:
            raise InvalidParameters(_explain(error)) from None

    def to_wire(self) -> dict[str, Any]:
        """All settings as JSON, by their keys. Encrypted keys are only named, never shown."""
        wire = self.model_dump(mode="json", by_alias=True)
        wire["encryptedKeys"] = dict.fromkeys(self.encrypted_keys, "[ENCRYPTED]")
        return wire

    def enables(self, tool: str) -> bool:
        """Whether agents may see this tool."""
        return tool in self.enabled_tools or "*" in self.enabled_tools


_KEYS = {name: field.alias or name for name, field in Settings.model_fields.items()}
"""The key of each field in the file and on the wire."""
_UNAVAILABLE = {
    _KEYS[name]
    for name, field in Settings.model_fields.items()
    if isinstance(field.json_schema_extra, dict) and not field.json_schema_extra.get("available", True)
}


def merge(base: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any]:
    """`base` with `patch` merged in deeply: objects member by member, `null` and everything else replaced."""
    merged = dict(base)
    for key, value in patch.items():
        current = merged.get(key)
        merged[key] = merge(current, value) if isinstance(current, dict) and isinstance(value, dict) else value
    return merged


def warnings(settings: Settings, keys: Collection[str] | None = None) -> list[str]:
    """What the user should know about values that are allowed, but risky or without effect.

    Args:
        settings: The settings.
        keys: Only about these; None: about all.
    """
    found = {
        "rateLimits": [
            f"{tool}: {rate} calls a minute is high; it may cost API quota or allow abuse"
            for tool, rate in settings.rate_limits.items()
            if rate > HIGH_RATE
        ]
    }
    if settings.global_rate_limit > HIGH_RATE:
        found["globalRateLimit"] = [f"globalRateLimit: {settings.global_rate_limit} calls a minute is high"]
    if not settings.patch_backup_enabled:
        found["patchBackupEnabled"] = ["patchBackupEnabled is off: changes cannot be undone"]
    for key in no_effect(_KEYS[name] for name in settings.model_fields_set):
        found[key] = [f"{key} is kept, but has no effect in this version"]
    return [text for key, texts in found.items() if keys is None or key in keys for text in texts]


def no_effect(keys: Iterable[str]) -> list[str]:
    """Those of the keys whose settings nothing reads in this version."""
    return [key for key in keys if key in _UNAVAILABLE]


def schema(*, offered: bool = False) -> dict[str, Any]:
    """The JSON Schema of the settings, good enough to draw a form from.

    Each property has its title, section, description, default and bounds, `readOnly` where it is not set like the
    others, `risk`, what a person should know before they switch it on, and `available: false` where it has no effect
    in this version. `sections` has them in order.

    Args:
        offered: Whether to leave out what has no effect, and sections that have nothing else.
    """
    described = Settings.model_json_schema(by_alias=True)
    defaults = Settings().to_wire()
    properties = described["properties"]
    for key, member in properties.items():
        member["default"] = defaults[key]
    for name, text in RISKS.items():
        properties[_KEYS[name]]["risk"] = text
    properties["encryptedKeys"]["readOnly"] = True
    if offered:
        properties = {key: member for key, member in properties.items() if key not in _UNAVAILABLE}
    shown = {member["section"] for member in properties.values()}
    sections = [{"id": section, "title": title} for section, title in SECTIONS.items() if section in shown]
    return described | {"properties": properties, "sections": sections}


def _explain(error: ValidationError) -> str:
    """The first fault of a settings object as one sentence."""
    first = error.errors(include_url=False, include_input=False)[0]
    key = ".".join(str(part)[:LONGEST_NAME] for part in first["loc"])
    if first["type"] == "extra_forbidden":
        near = difflib.get_close_matches(key, _KEYS.values(), n=1)
        hint = f"; did you mean {near[0]!r}?" if near else "; `vault-bridge settings get` lists all"
        return f"Unknown setting {key!r}{hint}"
    message = first["msg"].removeprefix("Value error, ")
    if first["type"] == "tuple_type":
        message = 'write a list, such as ["one", "two"]'
    return f"{key}: {message}" if key else message
