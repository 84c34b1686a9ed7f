"""Every setting of one vault: seed L's ToolSettings with its names and defaults, and the keys of `docs/settings.md`.

A setting is one field here, with its default, its bounds, the section of the settings screen it belongs to and the
sentence that explains it. Everything else (validation, `settings.schema`, the command line, the plugin's form) is
derived from these fields.
"""

import difflib
import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints, ValidationError, model_validator
from pydantic.alias_generators import to_camel

from bridge.contract.settings import Section
from bridge.errors import InvalidParameters

MAX_RATE = 1000
LONGEST_NAME = 100
"""Characters of an unknown key that are compared and repeated."""
HIGH_RATE = 300
"""Calls a minute above which seed L wants a warning."""

PRESETS: dict[str, tuple[str, ...]] = {
    "minimal": ("find", "grep", "read"),
    "vault": (
        *("find", "grep", "read", "apply_patch"),
        *("search_notes", "search_files", "list_files", "get_file_info", "read_file", "create_note", "create_folder"),
        *("modify_note", "edit_file", "write_file", "organize_note", "move_file", "delete_file"),
        *("resolve_note", "is_available", "read_note", "get_metadata", "find_related", "search_by_tags"),
        *("search_by_properties", "list_tags", "update_note", "add_tag", "remove_tag", "delete_note"),
    ),
    "everything": ("*",),
}
"""Named sets for `enabledTools`; `*` stands for every tool there is."""

SECTIONS: dict[str, str] = {
    "tools": "Tools and consent",
    "apis": "External services",
    "network": "Network",
    "performance": "Performance",
    "privacy": "Privacy and log",
    "toolSpecific": "Single tools",
}
"""The sections of the settings screen and their titles, in order (seed L, "Settings UI")."""

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


def _setting(section: Section, description: str, default: Any = ..., **bounds: Any) -> Any:
    """A field of the settings: where it is shown, what it means, its default and its bounds."""
    extra: dict[str, JsonValue] = {"section": section}
    if callable(default):
        return Field(default_factory=default, description=description, json_schema_extra=extra, **bounds)
    return Field(default=default, description=description, json_schema_extra=extra, **bounds)


class Settings(BaseModel):
    """All settings of one vault (seed L "Settings Schema"). Immutable: a change makes a new one."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True, extra="forbid", strict=True)

    enabled_tools: tuple[str, ...] = _setting(
        "tools", "Tools that agents see; `*` means all.", lambda: PRESETS["minimal"], strict=False
    )
    consent_mode: dict[str, Mode] = _setting("tools", "When each tool asks; tools not named use their default.", dict)
    developer_mode: bool = _setting("tools", "Read tools do not ask, and the console shows timings.", default=False)
    consent_timeout: int = _setting("tools", "Seconds a question waits for an answer.", 300, ge=1, le=86_400)
    grant_expiry_days: int | None = _setting(
        "tools", "Days after which an unused permanent grant ends; null: never.", 30, ge=1, le=3650
    )

    ollama_web_search_endpoint: str = _setting("apis", "Where web search is asked.", "http://localhost:11434")
    encrypted_keys: dict[str, str] = _setting("apis", "Encrypted API keys; set with `keys.set`.", dict)

    allowed_domains: tuple[str, ...] = _setting(
        "network",
        "Hosts that web_fetch may reach; `*.example.org` covers subdomains.",
        lambda: ("localhost", "127.0.0.1"),
        strict=False,
    )
    allow_all_domains: bool = _setting("network", "Any public host may be fetched. A risk.", default=False)
    block_external_requests: bool = _setting("network", "Nothing leaves this machine.", default=False)
    https_only: bool = _setting("network", "http: is upgraded to https:.", default=True)
    max_response_size: int = _setting("network", "Bytes a response may have.", 10_485_760, ge=1024, le=1_073_741_824)
    follow_redirects: bool = _setting("network", "Redirects are followed, each checked.", default=True)
    max_redirects: int = _setting("network", "How many redirects.", 5, ge=0, le=20)
    request_timeout: int = _setting("network", "Seconds a request may take.", 30, ge=1, le=600)
    allowed_origins: tuple[Origin, ...] = _setting(
        "network", "Browser origins, besides Obsidian's, that may connect.", lambda: (), strict=False
    )
    allow_terminal: bool = _setting("network", "Agents may ask to run commands. A risk.", default=False)
    allow_custom_tools: bool = _setting("network", "Your own tools may run code. A risk.", default=False)
    allow_mcp_servers: bool = _setting("network", "MCP servers may be started. A risk.", default=False)

    rate_limits: dict[str, Rate] = _setting("performance", "Calls a minute of each tool, where not the default.", dict)
    global_rate_limit: Rate = _setting("performance", "Calls a minute of all tools together.", 200)
    cache_enabled: bool = _setting("performance", "Web answers are kept for a while.", default=True)
    cache_ttl: int = _setting("performance", "Seconds a web answer is kept.", 3600, ge=0, alias="cacheTTL")
    max_cache_size: int = _setting("performance", "Bytes the cache may have.", 104_857_600, ge=0)

    enable_audit_log: bool = _setting("privacy", "Every call and decision is logged.", default=True)
    audit_log_retention_days: Literal[7, 30, 90] | None = _setting(
        "privacy", "Days the log is kept; null: for ever.", 30
    )
    log_parameter_values: bool = _setting("privacy", "The log holds the values of parameters.", default=True)
    anonymize_log: bool = _setting("privacy", "The log hides file paths.", default=False)
    share_usage_statistics: bool = _setting("privacy", "Nothing is shared; kept for completeness.", default=False)

    find_max_results: int = _setting("toolSpecific", "find: most results.", 50, ge=1, le=10_000)
    grep_context_lines: int = _setting("toolSpecific", "grep: lines around a match.", 2, ge=0, le=50)
    grep_max_matches: int = _setting("toolSpecific", "grep: most matches.", 100, ge=1, le=10_000)
    read_max_bytes: int = _setting("toolSpecific", "read: most bytes.", 1_048_576, ge=1, le=16_777_216)
    max_output_bytes: int = _setting("toolSpecific", "Bytes of text a model is given.", 65_536, ge=1024, le=16_777_216)
    ignore_patterns: tuple[str, ...] = _setting(
        "toolSpecific", "Globs of files that find and grep pass over.", lambda: (), strict=False
    )
    patch_backup_enabled: bool = _setting(
        "toolSpecific", "Keep what is overwritten, so that it can be undone.", default=True
    )
    backup_retention_days: int | None = _setting("toolSpecific", "Days backups are kept; null: for ever.", 30, ge=1)
    web_search_max_results: int = _setting("toolSpecific", "web_search: most results.", 5, ge=1, le=50)
    web_search_default_freshness: Literal["day", "week", "month", "year"] | None = _setting(
        "toolSpecific", "web_search: how old a result may be.", None
    )
    web_fetch_max_bytes: int = _setting("toolSpecific", "web_fetch: most bytes given.", 512_000, ge=1024)

    @model_validator(mode="after")
    def _domains_are_hosts(self) -> "Settings":
        """Seed L, "Domain Validation": a host name or address, `*.` before it allowed; never a URL."""
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
        """All settings as JSON, with seed L's names. Encrypted keys are only named, never shown."""
        wire = self.model_dump(mode="json", by_alias=True)
        wire["encryptedKeys"] = dict.fromkeys(self.encrypted_keys, "[ENCRYPTED]")
        return wire

    def enables(self, tool: str) -> bool:
        """Whether agents may see this tool."""
        return tool in self.enabled_tools or "*" in self.enabled_tools


def merge(base: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any]:
    """`base` with `patch` merged in deeply: objects member by member, `null` and everything else replaced."""
    merged = dict(base)
    for key, value in patch.items():
        current = merged.get(key)
        merged[key] = merge(current, value) if isinstance(current, dict) and isinstance(value, dict) else value
    return merged


def warnings(settings: Settings) -> list[str]:
    """What the user should know about values that are allowed and risky (seed L, "Rate Limit Validation")."""
    found = [
        f"{tool}: {rate} calls a minute is high; it may cost API quota or allow abuse"
        for tool, rate in settings.rate_limits.items()
        if rate > HIGH_RATE
    ]
    if settings.global_rate_limit > HIGH_RATE:
        found.append(f"globalRateLimit: {settings.global_rate_limit} calls a minute is high")
    found += [f"{_key(name)}: {text}" for name, text in RISKS.items() if getattr(settings, name)]
    if not settings.patch_backup_enabled:
        found.append("patchBackupEnabled is off: changes cannot be undone")
    return found


def schema() -> dict[str, Any]:
    """The JSON Schema of the settings, good enough to draw a form from.

    Each property has its title, section, description, default and bounds, `readOnly` where it is not set like the
    others, and `risk`, what a person should be told before they switch it on. `sections` has them in order.
    """
    described = Settings.model_json_schema(by_alias=True)
    defaults = Settings().to_wire()
    for key, member in described["properties"].items():
        member |= {"title": _title(key), "default": defaults[key]}
    for name, text in RISKS.items():
        described["properties"][_key(name)]["risk"] = text
    described["properties"]["encryptedKeys"]["readOnly"] = True
    described["sections"] = [{"id": section, "title": title} for section, title in SECTIONS.items()]
    described["presets"] = {name: list(tools) for name, tools in PRESETS.items()}
    return described


def _key(name: str) -> str:
    return Settings.model_fields[name].alias or name


def _title(key: str) -> str:
    """`webFetchMaxBytes` as words; names of several capitals stay."""
    words = re.findall(r"[A-Z]{2,}|[A-Z]?[a-z]+", key)
    return " ".join(word if word.isupper() else word.lower() for word in words).capitalize().replace("ttl", "TTL")


def _explain(error: ValidationError) -> str:
    """The first fault of a settings object as one sentence."""
    first = error.errors(include_url=False, include_input=False)[0]
    key = ".".join(str(part)[:LONGEST_NAME] for part in first["loc"])
    if first["type"] == "extra_forbidden":
        known = [field.alias or name for name, field in Settings.model_fields.items()]
        near = difflib.get_close_matches(key, known, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else "; `vault-bridge settings get` lists all"
        return f"Unknown setting {key!r}{hint}"
    message = first["msg"].removeprefix("Value error, ")
    return f"{key}: {message}" if key else message
