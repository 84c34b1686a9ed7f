"""A network name space in which every address is this machine, every name resolves, and every packet is seen (Linux).

`entered` is put before a command, which then calls `listen` first of all.
"""

import os
import shutil
import socket
import struct
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Final

ANSWER: Final = "198.18.0.1"
"""What every name resolves to: an address for tests of networks."""
RESOLVER: Final = "198.18.0.53"
PORTS: Final = (53, 80, 443, 1080, 3128, 4317, 4318, 8080, 11434)
"""Where something listens at every address: a connection comes about, and whoever opened it may go on."""

_ALL: Final = 0x0003
_SENT: Final = 4
_IP4, _IP6 = 0x0800, 0x86DD
_ICMP, _TCP, _UDP, _ICMP6 = 1, 6, 17, 58
_SYN, _ACK = 0x02, 0x10
_HEADER: Final = 12


def entered() -> Sequence[str] | str:
    """Return what a command begins with that is to run in such a room, or why there can be none here."""
    if shutil.which("unshare") is None or shutil.which("ip") is None:
        return "the programs `unshare` and `ip` are needed"
    rooms = ["unshare", "--net", "--mount"], ["unshare", "--user", "--map-root-user", "--net", "--mount"]
    for room in rooms:
        tried = subprocess.run([*room, "ip", "link", "set", "lo", "up"], capture_output=True, check=False)  # noqa: S603
        if not tried.returncode:
            return room
    return "this system lets nobody make a network name space"


class Listener:
    """Hears every packet of the room.

    Attributes:
        heard: What was sent: for a connection, a datagram or a name that was looked up, its kind and its address.
    """

    def __init__(self) -> None:
        self.heard: list[tuple[str, str]] = []
        self._packets = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(_ALL))
        self._packets.bind(("lo", 0))
        threading.Thread(target=self._listen, daemon=True).start()

    def unexpected(self, own: set[int]) -> list[tuple[str, str]]:
        """Return what was heard but for connections to some ports of 127.0.0.1."""
        allowed = {("connection", f"127.0.0.1:{port}") for port in own}
        return [each for each in self.heard if each not in allowed]

    def _listen(self) -> None:
        while True:
            packet, (_device, protocol, kind, *_rest) = self._packets.recvfrom(65535)
            if kind == _SENT and (said := _said(protocol, packet)):
                self.heard.append(said)


def listen() -> Listener:
    """Make the room, and listen from now on. The process is in the name space already."""
    _run("ip", "link", "set", "lo", "up")
    _run("ip", "route", "add", "local", "0.0.0.0/0", "dev", "lo")
    if Path("/proc/net/if_inet6").exists():
        _run("ip", "-6", "route", "add", "local", "::/0", "dev", "lo")
    # A resolver of the system's is asked over a socket with a path, which no name space keeps from it.
    _run("mount", "-t", "tmpfs", "none", "/run")
    _replace("/etc/resolv.conf", f"nameserver {RESOLVER}\noptions timeout:1 attempts:1\n")
    _replace("/etc/nsswitch.conf", "hosts: files dns\n")
    listener = Listener()
    threading.Thread(target=_resolve, args=(_bound(socket.SOCK_DGRAM, 53),), daemon=True).start()
    for port in PORTS:
        server = _bound(socket.SOCK_STREAM, port)
        server.listen()
        threading.Thread(target=_accept, args=(server,), daemon=True).start()
    return listener


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603 - programs of the system


def _replace(path: str, text: str) -> None:
    """Put another file in a file's place, for this name space alone."""
    place = Path(path).resolve()
    if not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
        return
    with tempfile.NamedTemporaryFile("w", delete=False, encoding="utf-8") as file:
        file.write(text)
    Path(file.name).chmod(0o644)
    _run("mount", "--bind", file.name, str(place))
    Path(file.name).unlink()


def _bound(kind: socket.SocketKind, port: int) -> socket.socket:
    """Return a socket of every address."""
    family = socket.AF_INET6 if os.path.exists("/proc/net/if_inet6") else socket.AF_INET  # noqa: PTH110
    made = socket.socket(family, kind)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if family == socket.AF_INET6:
        made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    made.bind(("", port))
    return made


def _accept(server: socket.socket) -> None:
    """Take every connection, and keep it open."""
    taken = []
    while True:
        taken.append(server.accept()[0])


def _resolve(server: socket.socket) -> None:
    """Say the same address for every name, and none of the sixth version."""
    while True:
        asked, sender = server.recvfrom(4096)
        end = asked.index(b"\0", _HEADER) + 5
        (kind,) = struct.unpack("!H", asked[end - 4 : end - 2])
        answers = b""
        if kind == 1:
            answers = b"\xc0\x0c" + struct.pack("!HHIH", 1, 1, 60, 4) + socket.inet_aton(ANSWER)
        header = asked[:2] + struct.pack("!HHHHH", 0x8180, 1, bool(answers), 0, 0)
        server.sendto(header + asked[_HEADER:end] + answers, sender)


def _said(protocol: int, packet: bytes) -> tuple[str, str] | None:
    """Return what a packet began; None where it only answers or goes on."""
    if protocol == _IP4:
        kind, to, body = packet[9], socket.inet_ntop(socket.AF_INET, packet[16:20]), packet[(packet[0] & 15) * 4 :]
    elif protocol == _IP6:
        kind, to, body = packet[6], socket.inet_ntop(socket.AF_INET6, packet[24:40]), packet[40:]
    else:
        return "frame", f"{protocol:#06x}"
    if kind in {_ICMP, _ICMP6}:
        return None  # how the system says that nobody listens; nobody but it can send any here
    source, port = struct.unpack("!HH", body[:4]) if kind in {_TCP, _UDP} else (0, 0)
    if kind == _TCP:
        return ("connection", f"{to}:{port}") if body[13] & (_SYN | _ACK) == _SYN else None
    if kind == _UDP and port == 53:
        return "name", _name(body[8:])
    if kind == _UDP and source == 53:
        return None
    return "datagram", f"{to}:{port} ({kind})"


def _name(question: bytes) -> str:
    at, parts = _HEADER, []
    while at < len(question) and (length := question[at]):
        parts.append(question[at + 1 : at + 1 + length].decode("ascii", "replace"))
        at += 1 + length
    return ".".join(parts)
