"""JSON-RPC 2.0 as callers speak it: frames, requests, sessions and methods. Knows no socket; see `docs/protocol.md`."""
