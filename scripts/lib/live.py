"""The services that search the web, pages, and a model, asked for real: `python3 scripts/check-live`.

No test does this. A bridge of a vault for the moment is given the keys of the environment, as `vault-bridge keys set`
does, and searches; pages go through the same door and the same reader as those of `web_fetch`.
"""

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from bridge.app import Bridge
from bridge.contract.keys import Provider, SearchService
from bridge.errors import ToolFailure
from bridge.web.door import WebRequest
from bridge.web.search_services import SearchQuery
from bridge.web.url import WebUrl, parse_url
from scripts.lib.live_chat import MODEL, URL, talked

KEYS: Final = {
    Provider.OLLAMA: "OLLAMA_API_KEY",
    Provider.BRAVE: "BRAVE_API_KEY",
    Provider.GOOGLE: "GOOGLE_API_KEY",
}
"""The variable of each key."""
SEARXNG: Final = "SEARXNG_URL"
ENGINE: Final = "GOOGLE_SEARCH_ENGINE_ID"
QUERY: Final = SearchQuery("Obsidian plugin development", 3, "year")


def chosen(environment: Mapping[str, str], *, duckduckgo: bool) -> tuple[list[SearchService], dict[str, Any]]:
    """Return what can be asked with the keys and addresses there are, and the settings for it.

    Args:
        environment: Has the keys and addresses.
        duckduckgo: Whether DuckDuckGo is asked, which needs no key.
    """
    services = [SearchService(provider.value) for provider, name in KEYS.items() if environment.get(name)]
    if environment.get(SEARXNG):
        services.append(SearchService.SEARXNG)
    if duckduckgo:
        services.append(SearchService.DUCKDUCKGO)
    settings: dict[str, Any] = {
        "ollamaWebSearchEndpoint": "https://ollama.com",
        "searxngEndpoint": environment.get(SEARXNG, ""),
        "googleSearchEngineId": environment.get(ENGINE, ""),
    }
    return services, settings


async def check(environment: Mapping[str, str], *, duckduckgo: bool, pages: Sequence[str] = ()) -> int:
    """Ask each service and fetch each page, and say what came of it; returns how many failed."""
    services, settings = chosen(environment, duckduckgo=duckduckgo)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in ("VAULT_BRIDGE_STATE", "VAULT_BRIDGE_CONFIG"):
            os.environ[name] = str(Path(folder) / name)
        os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"  # the master key is for the moment too
        vault = Path(folder) / "Vault"
        vault.mkdir()
        async with Bridge(vault) as bridge:
            bridge.settings.update(settings)
            for provider, name in KEYS.items():
                if environment.get(name):
                    await asyncio.to_thread(bridge.services.keys.set, provider, environment[name])
            for service in services:
                bridge.settings.update({"webSearchProviders": [service.value]})
                try:
                    found = await bridge.services.parts.search.get().search(QUERY, bridge.settings.current)
                except ToolFailure as failure:
                    failed += 1
                    print(f"{service.value}: FAILED ({failure.code}): {failure.message}")
                else:
                    print(f"{service.value}: results: {len(found.hits)}")
                    for hit in found.hits:
                        print(f"  {hit.relevance:.2f}  {hit.url}  {hit.title}")
            for page in pages:
                failed += not await fetched(bridge, page)
            if environment.get(URL):
                failed += not await talked(bridge, vault, environment[URL], environment.get(MODEL, ""))
    return failed


async def fetched(bridge: Bridge, page: str) -> bool:
    """Fetch and read one page, and say what came of it; returns whether it could be read."""
    web = bridge.services.parts.web.get()
    try:
        response = await web.door.send(WebRequest(parse_url(page)), authorize=_follow)
        read = await asyncio.to_thread(web.reader.read, response.body, str(response.url), "", "markdown")
    except ToolFailure as failure:
        print(f"{page}: FAILED ({failure.code}): {failure.message}")
        return False
    print(f"{page}: status {response.status}, {response.received:,} bytes in {response.seconds:.2f} s")
    print(f"  {read.title!r}, {len(read.text):,} characters of text, {read.removed} hidden parts left out")
    return response.is_success


async def _follow(to: WebUrl, why: str) -> None:
    print(f"  {why} to {to}")


def main() -> int:
    """Ask all for which there is something in the environment."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--duckduckgo", action="store_true", help="ask DuckDuckGo too, which needs no key")
    parser.add_argument("--page", action="append", default=[], metavar="URL", help="fetch this page; may be repeated")
    options = parser.parse_args()
    services, _ = chosen(os.environ, duckduckgo=options.duckduckgo)
    if not services and not options.page and not os.environ.get(URL):
        wanted = f"{', '.join(KEYS.values())}, {SEARXNG} or {URL}"
        print(f"Nothing to ask. Set {wanted}, or give --duckduckgo or --page URL.", file=sys.stderr)
        return 2
    failed = asyncio.run(check(os.environ, duckduckgo=options.duckduckgo, pages=options.page))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
