"""Every setting of one vault, with the keys of `docs/settings.md`.

A setting is one field here: its label and the sentence that explains it, its default, its bounds, and the section of
the settings screen it belongs to. Everything else (validation, `settings.schema`, the command line, the plugin's form)
is derived from these fields. A change of them says what they were, what they are, and who changed them.
"""

import ast
import contextlib
import difflib
import re
import sys
from collections.abc import Iterable, Mapping
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, StringConstraints, ValidationError
from pydantic.alias_generators import to_camel
from pydantic.annotated_handlers import GetJsonSchemaHandler

from bridge.contract.consent import ConsentMode
from bridge.contract.tools import Section
from bridge.errors import InvalidParameters, ToolFailure
from bridge.vault.paths import parse_path

MAX_RATE = 1000
LONGEST_NAME = 100
"""Characters of an unknown key that are compared and repeated."""
LONGEST_WAIT = 300
"""Seconds that a program waits for an answer at a time, at most."""
LONGEST_COMMAND = 3600
"""Seconds that a command can be given."""
HIGH_RATE = 300
"""Calls a minute above which there is a warning."""

MINIMAL_TOOLS = ("find", "grep", "read")
"""The tools that agents see where nobody chose."""

SECTIONS: dict[str, tuple[str, str]] = {
    "tools": ("Tools and questions", "Which tools agents can see, and when they ask."),
    "chat": ("Chat", "A model that you talk to, with the vault's tools."),
    "apis": ("External services", "Services that search the web, and their keys."),
    "network": ("Network", "What can be reached, and who can connect."),
    "performance": ("Limits", "How many calls are made in a minute."),
    "privacy": ("Privacy and log", "What is logged, and for how long."),
    "toolSpecific": ("Searching, reading and backups", "How much tools return, which files they skip, and backups."),
}
"""The sections of the settings screen in order, each with its title and a sentence about it."""

RISKS: dict[str, str] = {
    "developer_mode": "agents then read notes without asking you",
    "allow_all_domains": "where web_fetch is set to always_allow, agents reach any public host without asking",
    "allow_terminal": "agents may ask to run commands on this machine",
    "allow_custom_tools": "your own tools run code on this machine",
    "allow_mcp_servers": "MCP servers are programs on this machine",
    "terminal_network": "commands can then send what they read in the vault anywhere",
}
"""Switches that open something, and what."""

GUARDED: dict[str, tuple[bool | str, ...]] = {
    "allow_terminal": (True,),
    "allow_custom_tools": (True,),
    "allow_mcp_servers": (True,),
    "terminal_network": (True,),
    "require_sandbox": ("never",),
}
"""Settings with values that act only where a person has set them on this computer: a settings file may be synced."""

RARE = frozenset(
    {
        *("ticket_hours", "wait_seconds", "adding_most_files", "adding_minutes", "draft_days"),
        *("draft_files", "draft_megabytes"),
        *("chat_context_length", "chat_rounds"),
        *("https_only", "allow_self_signed_localhost", "max_response_size", "follow_redirects", "max_redirects"),
        *("request_timeout", "allowed_origins", "terminal_network", "terminal_folder", "terminal_timeout"),
        *("terminal_largest_file", "cache_ttl", "max_cache_size"),
        *("semantic_model", "find_max_results", "grep_context_lines", "grep_max_matches", "read_max_bytes"),
        *("max_output_bytes", "portable_names", "outside_versions_megabytes", "outside_versions_excluded"),
        *("web_search_max_results", "web_search_default_freshness", "web_fetch_max_bytes"),
    }
)
"""Settings that few people change: a screen shows them behind one further step."""

ALSO: dict[str, tuple[str, ...]] = {
    "enabled_tools": ("abilities", "features", "permissions"),
    "consent_mode": ("ask", "permission", "approve", "confirmation"),
    "developer_mode": ("do not ask", "no questions", "read without asking", "verbose"),
    "consent_timeout": ("timeout", "expire", "how long to answer"),
    "ticket_hours": ("answer later", "away", "overnight"),
    "wait_seconds": ("timeout", "hang"),
    "adding_most_files": ("batch", "bulk"),
    "adding_minutes": ("duration", "expire"),
    "grant_expiry_days": ("expire", "revoke", "forget"),
    "draft_days": ("staging", "proposals"),
    "draft_files": ("staging", "limit"),
    "draft_megabytes": ("staging", "disk", "limit"),
    "notify_away": ("notification", "alert", "desktop"),
    "chat_endpoint": ("ollama", "llm", "url", "server"),
    "chat_model": ("ollama", "llm", "ai"),
    "chat_context_length": ("memory", "tokens"),
    "chat_rounds": ("loop", "steps"),
    "chat_tools": ("abilities",),
    "ollama_web_search_endpoint": ("url", "server"),
    "web_search_providers": ("google", "brave", "search engine"),
    "searxng_endpoint": ("url", "search engine"),
    "google_search_engine_id": ("cx", "search engine"),
    "allowed_domains": ("websites", "whitelist", "internet"),
    "allow_all_domains": ("websites", "internet"),
    "block_external_requests": ("offline", "internet", "airplane", "privacy"),
    "https_only": ("encryption", "tls", "ssl"),
    "allow_self_signed_localhost": ("tls", "ssl", "certificate"),
    "max_response_size": ("download", "limit"),
    "review_web_pages": ("preview", "internet"),
    "request_timeout": ("slow", "internet"),
    "allowed_origins": ("cors", "browser", "websites"),
    "allow_terminal": ("shell", "command line", "run commands", "bash"),
    "allow_custom_tools": ("scripts", "plugins", "code"),
    "allow_mcp_servers": ("mcp", "integrations", "connectors"),
    "require_sandbox": ("isolation", "security", "container"),
    "terminal_network": ("shell", "internet"),
    "terminal_folder": ("shell", "working directory"),
    "terminal_timeout": ("shell", "slow"),
    "terminal_largest_file": ("shell", "limit"),
    "rate_limits": ("too many calls", "throttle", "quota"),
    "global_rate_limit": ("too many calls", "throttle", "quota"),
    "cache_enabled": ("offline", "internet"),
    "enable_audit_log": ("history", "audit", "record"),
    "audit_log_retention_days": ("history", "audit", "delete"),
    "log_parameter_values": ("privacy", "audit"),
    "anonymize_log": ("privacy", "audit"),
    "semantic_search": ("embeddings", "vectors", "similar", "ai search"),
    "semantic_model": ("embeddings", "vectors", "ollama"),
    "max_output_bytes": ("truncate", "cut off", "tokens"),
    "ignore_patterns": ("exclude", "hide", "skip", "gitignore"),
    "portable_names": ("windows", "sync", "special characters"),
    "patch_backup_enabled": ("undo", "restore", "recover"),
    "backup_retention_days": ("undo", "restore", "recover", "disk space"),
    "outside_versions": ("undo", "restore", "sync", "history"),
    "outside_versions_days": ("history", "disk space"),
    "outside_versions_megabytes": ("disk space", "size"),
    "outside_versions_excluded": ("exclude", "skip"),
    "outside_notice_files": ("notification", "alert", "warn"),
}
"""Other words for a setting besides its title, by which a search finds it too."""

_HOST = re.compile(
    r"^(\*\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*\.?$|^[0-9a-f:.]+$|^\[[0-9a-f:.]+\]$"
)

_SERVER = re.compile(r"https?://[^\s/?#@\\]+(/[^\s?#\\]*)?")
"""Nothing in it that one reader takes for a part of the host and another does not."""

Unit = Literal["seconds", "minutes", "hours", "days", "bytes", "megabytes", "calls a minute"]
Rate = Annotated[int, Field(ge=1, le=MAX_RATE)]
Mode = Literal["always_ask", "session_allow", "always_allow", "never_allow"]
ChatTools = Literal["minimal", "agent", "vault", "everything"]
SearchServiceName = Literal["ollama", "searxng", "brave", "duckduckgo", "google"]
Origin = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9+.-]*://[^/\s]+$")]


def _setting(
    section: Section,
    title: str,
    default: Any = ...,
    *,
    within: tuple[float, float] | None = None,
    unit: Unit | None = None,
    none: str | None = None,
    available: bool = True,
    **bounds: Any,
) -> Any:
    """Return a field of the settings. The sentence below it says what it does, and is its description.

    Args:
        section: Where the settings screen shows it.
        title: Its label there.
        default: Its value when nothing is set, or a function that makes it.
        within: The least and the greatest value.
        unit: What a number is measured in.
        none: What null means, as a choice: "Never".
        available: Whether anything reads it in this version; if not, it is kept but not offered.
        **bounds: As pydantic's `Field` takes them.
    """
    more = {"unit": unit, "none": none, "available": None if available else False}
    extra: dict[str, JsonValue] = {"section": section} | {key: said for key, said in more.items() if said is not None}
    given: dict[str, Any] = {"default_factory": default} if callable(default) else {"default": default}
    if within is not None:
        bounds |= {"ge": within[0], "le": within[1]}
    return Field(**given, title=title, json_schema_extra=extra, **bounds)


_tools = partial(_setting, "tools")
_apis = partial(_setting, "apis")
_chat = partial(_setting, "chat")
_network = partial(_setting, "network")
_performance = partial(_setting, "performance")
_privacy = partial(_setting, "privacy")
_single = partial(_setting, "toolSpecific")


def _server(address: str) -> str:
    """Return the `http` or `https` address of a server, if it is one: without user, query and fragment."""
    with contextlib.suppress(ValueError):
        parts = urlsplit(address)
        if parts.hostname and parts.port != 0 and parts.netloc.isascii() and _SERVER.fullmatch(address):
            return address
    raise ValueError(f"{address!r} is not the address of a server, such as http://localhost:11434")


def _folder(path: str) -> str:
    """Return the folder in which commands run, if they may."""
    if path:
        try:
            parts = parse_path(path).parts
        except ToolFailure as failure:
            raise ValueError(failure.message) from None
        if parts[-1].startswith("."):
            raise ValueError("no command runs in a folder whose name begins with a dot")
    return path


def _hosts(domains: tuple[str, ...]) -> tuple[str, ...]:
    """Return host names or addresses, perhaps with `*.` before them, if they are no URLs."""
    for domain in domains:
        if not _HOST.match(domain.lower()):
            raise ValueError(f"{domain!r} is not a host name or address; leave out scheme and path")
    return domains


def _distinct(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(names)) != len(names):
        raise ValueError("a service is named twice")
    return names


_Server = Annotated[str, AfterValidator(_server)]


class Settings(BaseModel):
    """All settings of one vault. Immutable: a change makes a new one."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True, extra="forbid", strict=True)

    enabled_tools: tuple[str, ...] = _tools("Enabled tools", lambda: MINIMAL_TOOLS, strict=False)
    """The tools that agents can see; `*` stands for all."""
    consent_mode: dict[str, Mode] = _tools("When tools ask", dict)
    """When each tool asks you; a tool that is not listed has its own default."""
    developer_mode: bool = _tools("Developer mode", default=False)
    """Tools that only read run without asking, and the bridge's console shows every call."""
    consent_timeout: int = _tools("Time to answer", 300, unit="seconds", within=(1, 86_400))
    """How long a question waits for your answer before the call is refused."""
    ticket_hours: int = _tools("Time to answer later", 24, unit="hours", within=(1, 168))
    """How long a question waits for your answer if the program has a ticket and comes back for it."""
    wait_seconds: int = _tools("Wait for an answer for", 40, unit="seconds", within=(1, LONGEST_WAIT))
    """How long an MCP client waits for your answer before it gets a ticket and comes back later."""
    adding_most_files: int = _tools("Files per permission to add", 50, within=(1, 1000))
    """If you allow an agent to add for a while, it asks again after this many files."""
    adding_minutes: int = _tools("Length of a permission to add", 60, unit="minutes", within=(1, 1440))
    """How long a permission to add lasts."""
    grant_expiry_days: int | None = _tools(
        "Forget unused permissions after", 30, unit="days", none="Never", within=(1, 3650)
    )
    """A permission without an end date is forgotten when no agent has used it for this long."""

    draft_days: int = _tools("Keep drafts for", 7, unit="days", within=(1, 365))
    """A draft that is not handed in is discarded, unwritten, when nothing was staged for this long."""

    draft_files: int = _tools("Files in a draft, at most", 5_000, within=(10, 100_000))
    """An agent is warned before the limit and continues in another draft. Nothing that is staged is lost."""

    draft_megabytes: int = _tools("Size of a draft, at most", 256, unit="megabytes", within=(1, 4_096))
    """The most disk space that one draft can take. An agent is warned before the limit."""

    notify_away: bool = _tools("Notify while you are away", default=True)
    """The system tells you of questions and handed-in drafts while no screen is connected, but not on Windows."""

    chat_endpoint: _Server = _chat("Address of the model", "http://localhost:11434")
    """Where Ollama answers. An address elsewhere is asked about once; models that it passes to a cloud are refused."""
    chat_model: str = _chat("Model", "", max_length=200, pattern=r"^[^\s\x00-\x1f]*$")
    """The model that you talk to, such as `qwen3:8b`. Leave it empty if there is only one."""
    chat_context_length: int = _chat("Length of the context", 65_536, within=(2_048, 2_097_152))
    """How many tokens the model takes in at a time. More needs more memory."""
    chat_rounds: int = _chat("Rounds of tool use", 25, within=(1, 200))
    """The model is stopped after this many rounds without an answer; you can let it continue."""
    chat_tools: ChatTools = _chat("Tools of the chat", "agent")
    """Which tools the model has."""

    ollama_web_search_endpoint: _Server = _apis("Ollama address", "http://localhost:11434")
    """Where Ollama answers: on this computer, or `https://ollama.com` for a key from there."""
    web_search_providers: Annotated[tuple[SearchServiceName, ...], AfterValidator(_distinct)] = _apis(
        "Services for web searches", lambda: (), strict=False
    )
    """The services that `web_search` asks, in this order: the next one is asked if one fails."""
    searxng_endpoint: Annotated[str, AfterValidator(lambda address: address and _server(address))] = _apis(
        "SearXNG address", ""
    )
    """Your SearXNG server, such as `http://localhost:8080`."""
    google_search_engine_id: str = _apis("Google search engine", "", max_length=100)
    """The id of your search engine (`cx`), for Google."""
    encrypted_keys: dict[str, str] = _apis("API keys", dict)
    """The keys of services, encrypted."""

    allowed_domains: Annotated[tuple[str, ...], AfterValidator(_hosts)] = _network(
        "Allowed domains", lambda: ("localhost", "127.0.0.1"), strict=False
    )
    """What `web_fetch`, if always allowed, reads without asking. `*.example.org` covers subdomains, `localhost` only
    Ollama's port."""
    allow_all_domains: bool = _network("Allow all domains", default=False)
    """Every public site counts as one of the allowed domains. This is risky."""
    only_allowed_domains: bool = _network("Only these domains", default=False)
    """Sites that are not allowed domains are refused instead of asked about."""
    block_external_requests: bool = _network("Block external requests", default=False)
    """The bridge connects to nothing outside this computer. Commands, servers that run here and Ollama still can."""
    https_only: bool = _network("HTTPS only", default=True)
    """`http:` addresses are upgraded to `https:`, but not those of this computer and of services that you entered."""
    allow_self_signed_localhost: bool = _network("Unsigned certificates on this computer", default=False)
    """Servers on this computer can use a certificate that no authority has signed."""
    max_response_size: int = _network("Largest response", 10_485_760, unit="bytes", within=(1024, 1_073_741_824))
    """Longer responses from the web are refused."""
    review_web_pages: bool = _network("Preview web pages", default=False)
    """You see the beginning of a fetched page before an agent gets it, and are asked once more."""
    follow_redirects: bool = _network("Follow redirects", default=True)
    """Redirects are followed, and each is checked."""
    max_redirects: int = _network("Most redirects", 5, within=(0, 20))
    """The most redirects that one request follows."""
    request_timeout: int = _network("Request timeout", 30, unit="seconds", within=(1, 600))
    """How long one try of a request to the web can take."""
    allowed_origins: tuple[Origin, ...] = _network("Allowed web pages", lambda: (), strict=False)
    """Web pages that can connect to the bridge, besides Obsidian itself, such as `https://example.org`."""
    allow_terminal: bool = _network("Allow terminal", default=False)
    """Agents can ask to run commands. This is risky."""
    allow_custom_tools: bool = _network("Allow custom tools", default=False)
    """Your own tools can run code. This is risky."""
    allow_mcp_servers: bool = _network("Allow other servers", default=False)
    """Agents can use the other servers that you have entered. This is risky."""

    require_sandbox: Literal["always", "never"] | None = _network("Require a sandbox", None, none="On Linux and macOS")
    """Programs that agents start run only where a sandbox confines them."""
    terminal_network: bool = _network("Network for commands", default=False)
    """Commands that agents run can use the network. This is risky."""
    terminal_folder: Annotated[str, AfterValidator(_folder)] = _network("Folder for commands", "")
    """The folder of the vault in which commands run. Empty: the vault itself."""
    terminal_timeout: int = _network("Command timeout", 120, unit="seconds", within=(1, LONGEST_COMMAND))
    """How long a command can run before it is stopped."""
    terminal_largest_file: int = _network(
        "Largest file that commands change", 20_971_520, unit="bytes", within=(0, 268_435_456)
    )
    """Commands can read larger files other than notes (200 of them at most), and not change them."""

    rate_limits: dict[str, Rate] = _performance("Limits for single tools", dict, unit="calls a minute")
    """How often one program can call a tool, in place of the tool's own limit."""
    global_rate_limit: Rate = _performance("Limit for all tools", 200, unit="calls a minute")
    """How often all programs together can call tools."""
    cache_enabled: bool = _performance("Cache web results", default=True)
    """Results from the web are kept for a while."""
    cache_ttl: int = _performance("Keep web results for", 3600, unit="seconds", ge=0, alias="cacheTTL")
    """How long a result from the web is used before it is fetched again."""
    max_cache_size: int = _performance("Largest cache", 104_857_600, unit="bytes", ge=0)
    """The most space for results from the web. Those not used for longest are removed first."""

    enable_audit_log: bool = _privacy("Keep a log", default=True)
    """Every call and every decision is logged."""
    audit_log_retention_days: Literal[7, 30, 90] | None = _privacy("Keep the log for", 30, unit="days", none="Forever")
    """How long entries of the log are kept."""
    log_parameter_values: bool = _privacy("Log tool arguments", default=True)
    """The log keeps the values of arguments, not only their names. It names files in either case."""
    anonymize_log: bool = _privacy("Hide file names in the log", default=False)
    """The log leaves out the names of files and folders."""
    share_usage_statistics: bool = _privacy("Share usage statistics", default=False, available=False)
    """Nothing is ever shared."""

    semantic_search: Literal["auto", "on", "off"] = _single("Search by meaning", "auto")
    """Questions also find notes that say it in other words. “Auto” spares the battery and a busy computer."""
    semantic_model: str = _single("Model for search by meaning", "")
    """A model that Ollama runs at the chat's address, such as `nomic-embed-text`. Empty: those of Vault Bridge."""
    search_pdfs: bool = _single("Search PDFs", default=True)
    """The text of PDF files is read in the background and found by searches, with its page."""
    search_pictures: bool = _single("Search text in pictures", default=True)
    """Text in pictures is recognised in the background and found by searches. Needs the extra `drawn-text`."""
    find_max_results: int = _single("Results of find", 50, within=(1, 10_000))
    """How many files `find` returns if the agent does not say."""
    grep_context_lines: int = _single("Lines around a match", 2, within=(0, 50))
    """How many lines `grep` returns around a match if the agent does not say."""
    grep_max_matches: int = _single("Matches of grep", 100, within=(1, 10_000))
    """How many matches `grep` returns if the agent does not say."""
    read_max_bytes: int = _single("Largest part of a file", 1_048_576, unit="bytes", within=(1, 16_777_216))
    """How much of a file `read` returns if the agent does not say, within the largest answer."""
    max_output_bytes: int = _single("Largest answer", 65_536, unit="bytes", within=(1024, 16_777_216))
    """The most text that a tool returns to an agent. Longer text is cut off."""
    ignore_patterns: tuple[str, ...] = _single("Ignored files", lambda: (), strict=False)
    """Patterns of files that searches skip, such as `Templates/**`."""
    portable_names: bool = _single("Names for every system", default=True)
    """New files and folders get only names that also work on Windows: without quotes, question marks and the like."""
    patch_backup_enabled: bool = _single("Keep backups", default=True)
    """What a change replaces is kept so that you can undo the change."""
    backup_retention_days: int | None = _single("Keep backups for", 30, unit="days", none="Forever", ge=1)
    """How long a change can be undone."""
    outside_versions: bool = _single("Record changes by other programs", default=True)
    """Changes that other programs make in the vault are recorded outside it so that you can undo them."""
    outside_versions_days: int = _single("Keep replaced versions for", 14, unit="days", within=(1, 365))
    """How long earlier versions are kept that other programs replaced."""
    outside_versions_megabytes: int = _single("Disk space for versions", 500, unit="megabytes", within=(50, 100_000))
    """The most disk space for these versions. The least important ones are removed first."""
    outside_versions_excluded: tuple[str, ...] = _single("Folders that are not recorded", lambda: (), strict=False)
    """Folders in which changes by other programs are not recorded, such as `Exports`."""
    outside_notice_files: int | None = _single(
        "Notify when this many files change", 20, none="Never", within=(1, 100_000)
    )
    """Obsidian tells you when another program changes this many files at once, or removes most of a note."""
    web_search_max_results: int = _single("Results of web searches", 5, within=(1, 50))
    """How many results `web_search` returns if the agent does not say."""
    web_search_default_freshness: Literal["day", "week", "month", "year"] | None = _single(
        "Age of web results", None, none="Any"
    )
    """How old results of `web_search` can be if the agent does not say."""
    web_fetch_max_bytes: int = _single("Largest web page", 512_000, unit="bytes", ge=1024)
    """The largest part of a page that `web_fetch` returns."""

    @classmethod
    def parse(cls, values: dict[str, Any]) -> "Settings":
        """Parse settings from their JSON form; keys that are absent have their default.

        Raises:
            InvalidParameters: With the first fault, the key it is in, and the nearest key for an unknown one.
        """
        try:
            return cls.model_validate(values, by_alias=True, by_name=False)
        except ValidationError as error:
            raise InvalidParameters(_explain(error)) from None

    @classmethod
    def __get_pydantic_json_schema__(cls, core: Any, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Return the JSON Schema, in which each setting has the sentence below it for its description."""
        described = handler.resolve_ref_schema(handler(core))
        for name in _KEYS.keys() & _descriptions().keys():
            described["properties"][_KEYS[name]]["description"] = _descriptions()[name]
        return described

    def to_wire(self) -> dict[str, Any]:
        """Return all settings as JSON, by their keys. Encrypted keys are only named, never shown."""
        wire = self.model_dump(mode="json", by_alias=True)
        wire["encryptedKeys"] = dict.fromkeys(self.encrypted_keys, "[ENCRYPTED]")
        return wire

    def enables(self, tool: str) -> bool:
        """Return whether agents may see this tool."""
        return tool in self.enabled_tools or "*" in self.enabled_tools


class EffectiveSettings(BaseModel):
    """The values in force for every tool, also where nothing is set for it.

    Attributes:
        consent_mode: When each tool asks.
        rate_limits: How many calls a minute one client can make of each.
    """

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True, defer_build=True)

    consent_mode: dict[str, Mode]
    rate_limits: dict[str, Rate]


class SettingsInForce(Settings):
    """All settings as they are set, and what follows for the tools."""

    model_config = ConfigDict(defer_build=True)

    effective: EffectiveSettings


_KEYS = {name: field.alias or name for name, field in Settings.model_fields.items()}
"""The key of each field in the file and on the wire."""
_UNAVAILABLE = {
    _KEYS[name]
    for name, field in Settings.model_fields.items()
    if isinstance(field.json_schema_extra, dict) and not field.json_schema_extra.get("available", True)
}


def merge(base: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any]:
    """Return `base` with `patch` merged in deeply: objects member by member, everything else replaced.

    `null` is a value of a setting, but takes a member out of an object: a tool without a limit of its own has its
    default.
    """
    merged = dict(base)
    for key, value in patch.items():
        current = merged.get(key)
        if isinstance(value, dict) and isinstance(current, dict | None):
            members = merge(current or {}, value)
            merged[key] = {name: member for name, member in members.items() if member is not None}
        else:
            merged[key] = value
    return merged


def warnings(settings: Settings, patch: Mapping[str, Any] | None = None) -> list[str]:
    """Return what the user should know about values that are allowed, but risky or without effect.

    Args:
        settings: The settings.
        patch: Only about what this sets, member by member; None: about all.
    """
    limits = settings.rate_limits if patch is None else patch.get("rateLimits") or {}
    found = {
        "rateLimits": [
            f"{tool}: {rate} calls a minute is high; it may cost API quota or allow abuse"
            for tool, rate in settings.rate_limits.items()
            if tool in limits and rate > HIGH_RATE
        ]
    }
    if settings.global_rate_limit > HIGH_RATE:
        found["globalRateLimit"] = [f"globalRateLimit: {settings.global_rate_limit} calls a minute is high"]
    if not settings.patch_backup_enabled:
        found["patchBackupEnabled"] = ["patchBackupEnabled is off: changes cannot be undone"]
    for name, risk in RISKS.items():
        if getattr(settings, name):
            found[_KEYS[name]] = [f"{_KEYS[name]} is on: {risk}"]
    if settings.require_sandbox == "never":
        found["requireSandbox"] = ["requireSandbox: programs also run where nothing confines them"]
    for key in no_effect(_KEYS[name] for name in settings.model_fields_set):
        found[key] = [f"{key} is kept, but has no effect in this version"]
    return [text for key, texts in found.items() if patch is None or key in patch for text in texts]


def requires_sandbox(settings: Settings) -> bool:
    """Return whether programs run only in a sandbox: where nobody said, on the systems that have one."""
    chosen = settings.require_sandbox
    return chosen == "always" or (chosen is None and sys.platform != "win32")


def guarded(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of some values, by setting keys, that act only where a person has set them on this computer."""
    return {
        key: values[key] for name, kinds in GUARDED.items() if (key := _KEYS[name]) in values and values[key] in kinds
    }


def is_guarded(key: str) -> bool:
    """Return whether a setting has such values."""
    return any(_KEYS[name] == key for name in GUARDED)


def no_effect(keys: Iterable[str]) -> list[str]:
    """Return those of the keys whose settings nothing reads in this version."""
    return [key for key in keys if key in _UNAVAILABLE]


def schema(*, offered: bool = False) -> dict[str, Any]:
    """Return the JSON Schema of the settings, good enough to draw a form from.

    Each property has its title, section, description, default, bounds and unit; `none`, what null means; `readOnly`
    where it is not set like the others; `risk`, what a person should know before they switch it on; `rare` where few
    people change it; `also`, what people call it besides; and `available: false` where it has no effect in this
    version. `sections` has them in order, each with a sentence about it.

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
    for name in RARE:
        properties[_KEYS[name]]["rare"] = True
    for name, words in ALSO.items():
        properties[_KEYS[name]]["also"] = list(words)
    properties["encryptedKeys"]["readOnly"] = True
    if offered:
        properties = {key: member for key, member in properties.items() if key not in _UNAVAILABLE}
    shown = {member["section"] for member in properties.values()}
    sections = [
        {"id": section, "title": title, "description": about}
        for section, (title, about) in SECTIONS.items()
        if section in shown
    ]
    return described | {"properties": properties, "sections": sections}


_SOURCE = Path(__file__).read_bytes()
"""Read at once: later the file may be that of another version, which was installed while the bridge runs."""


@cache
def _descriptions() -> dict[str, str]:
    """Return the sentence below each setting. It is looked for when a form needs it: no start takes time for it."""
    found: dict[str, str] = {}
    tree = ast.parse(_SOURCE)
    classes = (each for each in tree.body if isinstance(each, ast.ClassDef))
    settings = next(each for each in classes if each.name == Settings.__name__)
    for field, below in pairwise(settings.body):
        match field, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                found[name] = " ".join(text.split())
    return found


def _explain(error: ValidationError) -> str:
    """Return the first fault of a settings object as one sentence."""
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


class SettingsChange(NamedTuple):
    """The change of settings that their listeners are called with.

    Attributes:
        before: The settings until now.
        after: The settings in force.
        by: The name of the host that changed them; None when the file was edited, or the bridge did it by itself.
    """

    before: Settings
    after: Settings
    by: str | None = None

    def differences(self) -> dict[str, dict[str, Any]]:
        """Return `{key: {from, to}}` for each key that differs, for the log. Encrypted keys are named, never shown."""
        old, new = self.before.to_wire(), self.after.to_wire()
        changed = (key for name, key in _KEYS.items() if getattr(self.before, name) != getattr(self.after, name))
        return {key: {"from": old[key], "to": new[key]} for key in changed}

    def modes(self) -> dict[str, ConsentMode]:
        """Return the tools that were given a consent mode that they did not have, and which."""
        before = self.before.consent_mode
        return {tool: ConsentMode(mode) for tool, mode in self.after.consent_mode.items() if before.get(tool) != mode}
