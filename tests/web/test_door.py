"""One request: to the checked address, under its own name, within limits, followed and repeated as it should be."""

import asyncio
import contextlib
import ssl
from typing import Any

import pytest
import trustme

from bridge.errors import DeadlineExceeded, InvalidParameters, NetworkFailure, PermissionDenied, ToolFailure
from bridge.web.door import WebRequest
from bridge.web.guard import RequestRefused, Service
from bridge.web.url import WebUrl, parse_url
from tests.web.conftest import Doorway
from tests.web_servers import PUBLIC, Seen, answer, context_for, redirect, watch_sockets

PAGE = "https://example.com/page"


async def test_a_page_is_fetched_from_the_checked_address_under_its_own_name(doorway: Doorway) -> None:
    doorway.web.answers["/page"] = answer("hello")
    response = await doorway.get("https://bücher.example/page?q=1")
    assert (response.status, response.body, response.content_type) == (200, b"hello", "text/html")
    assert doorway.web.connected == [(PUBLIC, 443)]
    (seen,) = doorway.web.seen
    assert (seen.host, seen.tls_name, seen.target) == ("xn--bcher-kva.example", "xn--bcher-kva.example", "/page?q=1")


async def test_the_name_is_looked_up_once_for_a_connection(doorway: Doorway) -> None:
    doorway.web.answers["/page"] = answer("hello")
    doorway.web.names["example.com"] = [[PUBLIC], ["127.0.0.1"]]
    with watch_sockets() as sockets:
        await doorway.get(PAGE)
    assert (doorway.web.asked, sockets.lookups) == (["example.com"], [])


async def test_a_name_that_leads_home_the_second_time_is_refused_the_second_time(doorway: Doorway) -> None:
    doorway.web.answers["/page"] = redirect("/page")
    doorway.web.names["example.com"] = [[PUBLIC], ["127.0.0.1"]]
    with pytest.raises(RequestRefused, match="not public"):
        await doorway.get(PAGE)
    assert doorway.web.connected == [(PUBLIC, 443)]


@pytest.mark.parametrize("private", ["10.0.0.1", "127.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1", "fe80::1"])
async def test_one_private_address_among_public_ones_is_enough_to_refuse(doorway: Doorway, private: str) -> None:
    doorway.web.names["example.com"] = [[PUBLIC, private]]
    with pytest.raises(RequestRefused, match="not public"):
        await doorway.get(PAGE)
    assert doorway.web.connected == []


async def test_the_next_address_is_tried_where_one_cannot_be_reached(doorway: Doorway) -> None:
    doorway.web.answers["/page"] = answer("hello")
    doorway.web.names["example.com"] = [["93.184.216.1", PUBLIC]]
    doorway.web.unreachable.add("93.184.216.1")
    assert (await doorway.get(PAGE)).body == b"hello"


async def test_this_machine_is_reached_without_a_resolver(doorway: Doorway) -> None:
    doorway.web.answers["/page"] = answer("here")
    response = await doorway.get(f"http://localhost:{doorway.web.plain_port}/page")
    assert (response.body, doorway.web.asked) == (b"here", [])


async def test_no_proxy_of_the_environment_is_used(doorway: Doorway, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    doorway.web.answers["/page"] = answer("hello")
    assert (await doorway.get(PAGE)).body == b"hello"


class TestCertificates:
    """Who answers is checked, except where the user said so, on this machine."""

    async def test_of_another_name_is_refused(self, doorway: Doorway) -> None:
        doorway.web.own_contexts["example.com"] = context_for("other.example")
        with pytest.raises(NetworkFailure, match=r"certificate of example\.com is not valid") as failed:
            await doorway.get(PAGE)
        assert failed.value.code == "certificate"
        assert doorway.web.seen == []

    async def test_of_nobody_is_refused(self, doorway: Doorway) -> None:
        doorway.web.own_contexts["example.com"] = _self_signed("example.com")
        with pytest.raises(NetworkFailure, match="not valid"):
            await doorway.get(PAGE)

    async def test_of_nobody_is_taken_on_this_machine_where_the_user_said_so(self, doorway: Doorway) -> None:
        doorway.web.answers["/page"] = answer("here")
        doorway.web.own_contexts["localhost"] = _self_signed("localhost")
        url = f"https://localhost:{doorway.web.tls_port}/page"
        with pytest.raises(NetworkFailure, match="not valid"):
            await doorway.get(url)
        doorway.set(allowSelfSignedLocalhost=True)
        assert (await doorway.get(url)).body == b"here"


class TestRedirects:
    """Each hop is a request of its own."""

    async def test_are_followed_within_a_site_without_asking(self, doorway: Doorway) -> None:
        doorway.web.answers |= {"/page": redirect("other?x#y"), "/other": answer("hello")}
        response = await doorway.get(PAGE)
        assert (response.body, str(response.url)) == (b"hello", "https://example.com/other?x")
        assert (list(map(str, response.hops)), doorway.authorized) == ([PAGE], [])

    async def test_to_another_site_are_asked_about_first(self, doorway: Doorway) -> None:
        doorway.web.answers |= {"/page": redirect("http://other.example/x"), "/x": answer("hello")}
        response = await doorway.get(PAGE, headers={"Authorization": "Bearer secret"})
        assert response.body == b"hello"
        assert doorway.authorized == ["Follow a redirect from example.com: https://other.example/x"]
        first, second = doorway.web.seen
        assert first.headers["authorization"] == "Bearer secret"
        assert "authorization" not in second.headers

    async def test_that_are_not_allowed_are_not_followed(self, doorway: Doorway) -> None:
        async def refuse(url: WebUrl, why: str) -> None:
            raise PermissionDenied(f"{why}: {url.host}", code="denied_by_user")

        doorway.web.answers["/page"] = redirect("https://other.example/x")
        with pytest.raises(PermissionDenied):
            await doorway.send(WebRequest(parse_url(PAGE)), authorize=refuse)
        assert doorway.web.asked == ["example.com"]

    async def test_end_after_as_many_as_are_set(self, doorway: Doorway) -> None:
        doorway.web.answers["/page"] = redirect("/page")
        with pytest.raises(NetworkFailure, match="more than 5 times"):
            await doorway.get(PAGE)
        assert len(doorway.web.seen) == 6
        doorway.set(maxRedirects=0)
        with pytest.raises(NetworkFailure, match="more than 0 times"):
            await doorway.get(PAGE)

    async def test_are_an_answer_where_they_are_not_followed(self, doorway: Doorway) -> None:
        doorway.web.answers["/page"] = redirect("/other")
        doorway.set(followRedirects=False)
        response = await doorway.get(PAGE)
        assert (response.status, response.headers["location"]) == (302, "/other")

    @pytest.mark.parametrize(
        "to",
        [
            "http://10.0.0.1/",
            "http://169.254.169.254/latest/meta-data/",
            "http://[::ffff:169.254.169.254]/",
            "http://router/",
            "http://127.1/",
            "http://2130706433/",
            "https://user@other.example/",
            "file:///etc/passwd",
            "ftp://other.example/",
            "https://other.example\\@evil.example/",
            "https://example.com:22/",
            "http://127.0.0.1:11434/",
            "http://localhost:11434/",
        ],
    )
    async def test_to_where_nothing_may_go_are_refused(self, doorway: Doorway, to: str) -> None:
        doorway.set(allowAllDomains=True)
        doorway.web.answers["/page"] = redirect(to)
        with pytest.raises(ToolFailure) as failed:
            await doorway.get(PAGE)
        assert failed.value.code in {"domain", "redirect"}
        assert doorway.web.connected == [(PUBLIC, 443)]

    async def test_to_the_bridge_itself_are_refused(self, doorway: Doorway) -> None:
        doorway.own_ports = frozenset({doorway.web.plain_port})
        doorway.web.answers["/page"] = redirect(f"http://localhost:{doorway.web.plain_port}/rpc")
        with pytest.raises(RequestRefused, match="bridge itself"):
            await doorway.get(f"https://localhost:{doorway.web.tls_port}/page")

    async def test_to_http_are_refused_where_https_is_not_required(self, doorway: Doorway) -> None:
        doorway.set(httpsOnly=False)
        doorway.web.answers["/page"] = redirect("http://other.example/")
        with pytest.raises(NetworkFailure, match="from https to http"):
            await doorway.get(PAGE)

    @pytest.mark.parametrize(("status", "method"), [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST")])
    async def test_of_a_post_are_followed_as_the_standard_says(
        self, doorway: Doorway, status: int, method: str
    ) -> None:
        doorway.web.answers |= {"/page": redirect("/other", f"{status} Moved"), "/other": answer("done")}
        await doorway.get(PAGE, method="POST", body=b"data", content_type="text/plain")
        assert (doorway.web.seen[1].method, doorway.web.seen[1].body) == (method, b"data" if method == "POST" else b"")

    async def test_take_no_body_to_another_site(self, doorway: Doorway) -> None:
        doorway.web.answers["/page"] = redirect("https://other.example/", "307 Temporary Redirect")
        with pytest.raises(NetworkFailure, match="pass what was sent on"):
            await doorway.get(PAGE, method="POST", body=b"data")
        assert len(doorway.web.seen) == 1


class TestRepetitions:
    """What is safe to repeat is repeated, and nothing else."""

    async def test_of_a_page_that_is_not_there_yet(self, doorway: Doorway) -> None:
        doorway.web.answers["/page"] = _after(doorway, answer(status="503 Wait"), answer("hello"))
        assert (await doorway.get(PAGE)).body == b"hello"
        assert doorway.waits == [0.5]

    async def test_end_with_the_answer_that_there_is(self, doorway: Doorway) -> None:
        doorway.web.answers["/page"] = answer(status="503 Wait")
        assert (await doorway.get(PAGE)).status == 503
        assert doorway.waits == [0.5, 1.0]

    async def test_wait_as_long_as_the_server_asks_for(self, doorway: Doorway) -> None:
        doorway.web.answers["/page"] = _after(doorway, answer(status="429 Slow", Retry_After="3"), answer("hello"))
        assert (await doorway.get(PAGE)).status == 200
        assert doorway.waits == [3]

    async def test_that_would_take_long_are_left_to_the_caller(self, doorway: Doorway) -> None:
        doorway.web.answers["/page"] = answer(status="429 Slow", Retry_After="120")
        assert (await doorway.get(PAGE)).status == 429
        assert doorway.waits == []

    async def test_of_a_connection_that_breaks(self, doorway: Doorway) -> None:
        doorway.web.answers["/page"] = _after(doorway, b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbro", answer("ok"))
        assert (await doorway.get(PAGE)).body == b"ok"

    async def test_are_never_made_of_what_changes_something(self, doorway: Doorway) -> None:
        doorway.web.answers["/page"] = answer(status="503 Wait")
        assert (await doorway.get(PAGE, method="POST", body=b"x")).status == 503
        assert len(doorway.web.seen) == 1
        doorway.web.answers["/page"] = b""
        with pytest.raises(NetworkFailure):
            await doorway.get(PAGE, method="POST", body=b"x")
        assert len(doorway.web.seen) == 2

    async def test_are_made_of_a_post_that_only_asks(self, doorway: Doorway) -> None:
        doorway.web.answers["/page"] = _after(doorway, answer(status="502 Bad"), answer('{"results": []}'))
        response = await doorway.send(WebRequest.json(parse_url(PAGE), {"query": "tea"}))
        assert response.json() == {"results": []}
        assert doorway.web.seen[0].headers["content-type"] == "application/json"


class TestServices:
    """A service that the person entered is reached as it was entered, and nothing else on its behalf."""

    async def test_at_home_are_reached(self, doorway: Doorway) -> None:
        doorway.web.names["searxng.home"] = [["192.168.1.5"]]
        doorway.web.answers["/search"] = answer('{"a": 1}')
        service = Service.of("SearXNG", "http://searxng.home:8888")
        request = WebRequest(service.url("/search", {"q": "tea"}), headers={"Authorization": "Bearer key"})
        response = await doorway.send(request, service=service)
        assert response.json() == {"a": 1}
        assert doorway.web.connected == [("192.168.1.5", 8888)]
        assert doorway.log[0].service == "SearXNG"

    async def test_lead_nowhere_else(self, doorway: Doorway) -> None:
        doorway.web.names["searxng.home"] = [["192.168.1.5"]]
        doorway.web.answers["/search"] = redirect("https://example.com/")
        service = Service.of("SearXNG", "http://searxng.home:8888")
        with pytest.raises(RequestRefused, match="not the address that the user has entered"):
            await doorway.send(WebRequest(service.url("/search")), service=service)
        assert len(doorway.web.connected) == 1


class TestLimits:
    """Nothing that a server sends is endless."""

    @pytest.mark.parametrize(
        "announced", [{}, {"Content-Length": "99999999999"}, {"Content-Length": "2000"}], ids=["silent", "huge", "more"]
    )
    async def test_of_size(self, doorway: Doorway, announced: dict[str, str]) -> None:
        doorway.set(maxResponseSize=1024)
        head = "".join(f"{name}: {value}\r\n" for name, value in announced.items())
        doorway.web.answers["/page"] = f"HTTP/1.1 200 OK\r\n{head}\r\n".encode() + b"x" * 2000
        with pytest.raises(NetworkFailure, match="more than 1,024 bytes") as failed:
            await doorway.get(PAGE)
        assert failed.value.code == "too_large"

    @pytest.mark.slow
    async def test_of_an_answer_that_never_ends(self, doorway: Doorway) -> None:
        stopped = asyncio.Event()

        async def endless(_seen: Seen, writer: asyncio.StreamWriter) -> None:
            writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            with contextlib.suppress(ConnectionError, ssl.SSLError):
                while True:
                    writer.write(b"1\r\nx\r\n" * 10_000)
                    await writer.drain()
                    await asyncio.sleep(0)  # to a connection that has just ended is written without a wait
            stopped.set()

        doorway.set(maxResponseSize=100_000)
        doorway.web.answers["/page"] = endless
        with pytest.raises(NetworkFailure) as failed:
            await doorway.get(PAGE)
        assert failed.value.code == "too_large"
        await stopped.wait()

    async def test_of_chunk_sizes_and_interim_answers(self, doorway: Doorway) -> None:
        async def interim(_seen: Seen, writer: asyncio.StreamWriter) -> None:
            with contextlib.suppress(ConnectionError, ssl.SSLError):
                while True:
                    writer.write(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" * 1_000)
                    await writer.drain()
                    await asyncio.sleep(0)  # to a connection that has just ended is written without a wait

        doorway.set(maxResponseSize=1024)
        doorway.web.answers["/page"] = interim
        with pytest.raises(NetworkFailure) as failed:
            await doorway.get(PAGE)
        assert failed.value.code == "too_large"

    @pytest.mark.parametrize(
        "head",
        [
            b"".join(b"X-%d: y\r\n" % number for number in range(300)),
            b"X: " + b"y" * 200_000 + b"\r\n",
            b"Content-Length: 5\r\nContent-Length: 6\r\n",
            b"Content-Length: -1\r\n",
            b"Transfer-Encoding: banana\r\n",
            b"No colon\r\n",
            b"\x00: y\r\n",
        ],
        ids=["many", "long", "two lengths", "negative", "unknown encoding", "no colon", "nul"],
    )
    async def test_of_headers(self, doorway: Doorway, head: bytes) -> None:
        doorway.web.answers["/page"] = b"HTTP/1.1 200 OK\r\n" + head + b"\r\nhello"
        with pytest.raises(NetworkFailure):
            await doorway.get(PAGE)

    @pytest.mark.parametrize("data", [b"", b"SSH-2.0-OpenSSH_9\r\n\r\n", b"HTTP/9.9 x\r\n\r\n", b"\x16\x03\x01" * 40])
    async def test_of_what_is_no_http(self, doorway: Doorway, data: bytes) -> None:
        doorway.web.answers["/page"] = data
        with pytest.raises(NetworkFailure) as failed:
            await doorway.get(PAGE)
        assert failed.value.code == "protocol"

    async def test_of_a_body_that_ends_too_early(self, doorway: Doorway) -> None:
        doorway.web.answers["/page"] = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello"
        with pytest.raises(NetworkFailure, match="stopped in the middle"):
            await doorway.get(PAGE)

    @pytest.mark.slow
    async def test_of_time(self, doorway: Doorway) -> None:
        async def slow(_seen: Seen, writer: asyncio.StreamWriter) -> None:
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
            await writer.drain()
            await asyncio.Event().wait()

        doorway.set(requestTimeout=1)
        doorway.web.answers["/page"] = slow
        with pytest.raises(DeadlineExceeded, match="did not answer within 1 seconds"):
            await doorway.get(PAGE)


class TestLog:
    """Every request that was tried is told of."""

    async def test_has_what_was_answered(self, doorway: Doorway) -> None:
        doorway.web.answers |= {"/page": redirect("/other"), "/other": answer("hello")}
        await doorway.get(f"{PAGE}?token=secret", headers={"Authorization": "Bearer secret"})
        assert [(one.method, one.url.path, one.status) for one in doorway.log] == [
            ("GET", "/page", 302),
            ("GET", "/other", 200),
        ]
        assert all(one.received > 0 for one in doorway.log)
        assert "Bearer" not in repr(doorway.log)

    async def test_has_why_there_was_no_answer(self, doorway: Doorway) -> None:
        with pytest.raises(NetworkFailure):
            await doorway.get("https://nowhere.invalid/")
        assert [(one.status, one.failure) for one in doorway.log] == [(None, "dns")]


@pytest.mark.parametrize(
    "headers", [{"Host": "evil"}, {"X": "a\r\nY: b"}, {"Content-Length": "5"}, {"ä": "b"}, {"X": "ä"}]
)
async def test_headers_that_are_the_connections_own_cannot_be_given(doorway: Doorway, headers: dict[str, str]) -> None:
    with pytest.raises(InvalidParameters):
        await doorway.get(PAGE, headers=headers)
    assert doorway.web.seen == []


def _after(doorway: Doorway, *answers: bytes) -> Any:
    """Answers one after the other."""
    del doorway
    left = list(answers)

    async def respond(_seen: Seen, writer: asyncio.StreamWriter) -> None:
        writer.write(left.pop(0))
        await writer.drain()

    return respond


def _self_signed(name: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert(name).configure_cert(context)
    return context
