"""The user's own headers go to the host that they are for, and nowhere else."""

import json
from pathlib import Path

import pytest

from bridge.web.services import NAME, WebCredentials
from bridge.web.url import parse_url

HEADERS = {"Authorization": "Bearer secret-of-example"}


@pytest.fixture
def credentials(tmp_path: Path) -> WebCredentials:
    content = {"auth": {"api.Example.com": {"headers": HEADERS}, "other.example:8443": {"headers": {"X-Key": "k"}}}}
    (tmp_path / NAME).write_text(json.dumps(content), encoding="utf-8")
    return WebCredentials(tmp_path)


@pytest.mark.parametrize(
    ("url", "headers"),
    [
        ("https://api.example.com/x", HEADERS),
        ("https://API.example.com./x", HEADERS),
        ("http://api.example.com/x", {}),
        ("https://api.example.com:8443/x", {}),
        ("https://www.api.example.com/x", {}),
        ("https://example.com/x", {}),
        ("https://api.example.com.evil.net/x", {}),
        ("https://other.example:8443/", {"X-Key": "k"}),
        ("https://other.example/", {}),
    ],
)
def test_a_host_gets_its_own(credentials: WebCredentials, url: str, headers: dict[str, str]) -> None:
    assert credentials.headers_for(parse_url(url)) == headers


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        '{"auth": {"a b": {"headers": {}}}}',
        '{"auth": {"example.com": {"headers": {"A": "b\\nc"}}}}',
        '{"auth": {"example.com": {"headers": {"A: b": "c"}}}}',
        '{"auth": {"example.com": {"cookies": "secret-value"}}}',
    ],
)
def test_a_file_with_a_mistake_is_not_used_and_says_so_without_its_values(tmp_path: Path, content: str) -> None:
    (tmp_path / NAME).write_text(content, encoding="utf-8")
    credentials = WebCredentials(tmp_path)
    assert credentials.headers_for(parse_url("https://example.com/")) == {}
    assert credentials.fault is not None
    assert "secret-value" not in credentials.fault


def test_changes_are_seen_and_values_are_kept_secret(tmp_path: Path) -> None:
    secrets: list[str] = []
    credentials = WebCredentials(tmp_path, secrets.append)
    url = parse_url("https://example.com/")
    assert credentials.headers_for(url) == {}
    (tmp_path / NAME).write_text(json.dumps({"auth": {"example.com": {"headers": HEADERS}}}), encoding="utf-8")
    assert credentials.headers_for(url) == HEADERS
    assert {"Bearer secret-of-example", "secret-of-example"} <= set(secrets)
    (tmp_path / NAME).unlink()
    assert credentials.headers_for(url) == {}
