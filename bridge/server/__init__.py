"""The listening socket: who may come in, WebSocket and HTTP, and the files by which clients find it."""
