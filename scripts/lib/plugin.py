"""The Obsidian plugin's checks and tests, with a real browser. Standard library only."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from scripts.lib.debian import install
from scripts.lib.environment import say
from scripts.lib.steps import TESTS_MINUTES, Step

FOLDER = "obsidian-plugin"
_SHELL = "chromium-headless-shell"
"""Chromium without its own windows, whose pages cost a third less."""

_BROWSERS = (_SHELL, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_ELSEWHERE = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
)


def plugin_tests() -> list[Step]:
    """Types, lint, unit tests, bundle, and the real bundle in a real browser against the real bridge.

    Without npm, or without a browser where none can be installed, prints which steps are left out and leaves them out.
    """
    npm = shutil.which("npm")
    if npm is None:
        say(f"npm is not installed: the tests of {FOLDER}/ are left out. Install Node 20 or newer to run them.")
        return []
    run = [npm, "--prefix", FOLDER]
    todo = [
        Step("plugin: install", [*run, "ci", "--no-audit", "--no-fund"]),
        Step("plugin: types, lint, units, bundle", [*run, "run", "check"]),
    ]
    browser = find_browser()
    if browser is None:
        say(f"No Chromium: the browser tests of {FOLDER}/ are left out. Install it, or set CHROMIUM to its path.")
        return todo
    os.environ["CHROMIUM"] = browser  # read by the tests
    return [*todo, Step("plugin: real browser", [*run, "run", "test:ui"], TESTS_MINUTES)]


def find_browser() -> str | None:
    """A Chromium: the one that is named, one that is installed, or, as root on Debian, one installed now."""
    named = os.environ.get("CHROMIUM")
    found = named or next(filter(None, map(shutil.which, _BROWSERS)), None)
    found = found or next((path for path in _ELSEWHERE if Path(path).exists()), None)
    return found or install(_SHELL, "the browser tests") or install("chromium", "the browser tests")
