"""The Model Context Protocol, for the agents people have, over the calls that the socket has too.

No policy is here: what is asked, allowed, limited and logged is decided behind the calls. The SDK (`mcp`) takes most of
a second to import. So this package's modules, except `bridge.mcp.port`, are imported when MCP is spoken, not before.
"""
