"""The door to the network: every request that the bridge makes goes through here.

What the other rooms use:

    url.parse_url(text) -> WebUrl
        Reads a URL, once. What is checked and what is connected to are the same value.
    guard.Rules(settings, own_ports) and guard.check(url, rules, service=None) -> Clearance
        Decides, without any I/O, whether a URL may be reached, and how: a pure function.
    guard.Service.of(name, url)
        A service that the person has entered in the settings (Ollama, SearXNG, an MCP server): exactly that scheme,
        host and port may be reached for it, in a private network too, and nothing else.
    door.WebDoor(settings, resolver, ...).send(WebRequest(...), service=None, authorize=None) -> WebResponse
        Makes a request: the guard, the addresses, the connection, the limits, redirects, repetitions, the log.

A provider of web searches needs no more than this:

    service = Service.of("SearXNG", settings.searxng_endpoint)      # raises InvalidParameters for what is no URL
    request = WebRequest(
        service.url("/search", {"q": query, "format": "json"}),
        headers={"Accept": "application/json"},                     # a key goes here; no header is ever logged
    )
    response = await door.send(request, service=service)            # never leaves the service, not by a redirect either
    if response.status == 429: ...
    found = response.json()

For a service of the public web, `Service.of("Brave", "https://api.search.brave.com")` is the same thing. `send` raises
`PermissionDenied` (code `domain`: not allowed; `blocked`: external requests are blocked), `NetworkFailure` with a code
(`dns`, `connect`, `tls`, `certificate`, `protocol`, `too_large`, `bomb`, `redirects`, `redirect`, ...) and
`DeadlineExceeded`. A status such as 403 or 500 is an answer, not an error. Only what is safe to repeat is repeated:
GET, and POST where the request says so (`repeatable=True`), as searches are.
"""
