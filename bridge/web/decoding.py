"""Bodies as they were before they were compressed, within bounds: a few bytes must not become gigabytes."""

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

import brotli
from backports import zstd

from bridge.errors import NetworkFailure

MOST_LAYERS: Final = 2
"""Encodings one over the other. Servers have been seen to apply two; more is an attack."""
RATIO: Final = 200
"""The most a body may grow when unpacked. Text reaches 20 times, the most compressible real pages 100."""
ALWAYS_FINE: Final = 1024 * 1024
"""Bytes below which the ratio does not matter."""
_STEP: Final = 64 * 1024
"""Bytes that are taken out of a decoder at a time."""

ACCEPTED: Final = "gzip, deflate, br, zstd"
"""The encodings that requests say they accept (RFC 9110, 12.5.3)."""


class _Decoder:
    """One layer of a body, decoded step by step.

    Args:
        decoder: The library's object for it.
    """

    def __init__(self, decoder: Any) -> None:
        self._decoder = decoder

    def decode(self, data: bytes) -> Iterator[bytes]:
        """Yield the decoded content of a part of the body, in pieces."""
        raise NotImplementedError

    @property
    def complete(self) -> bool:
        """Return whether the end was reached."""
        return bool(self._decoder.eof)


class _Zlib(_Decoder):
    def __init__(self, window: int) -> None:
        super().__init__(zlib.decompressobj(window))
        self._may_be_bare = window == zlib.MAX_WBITS

    def decode(self, data: bytes) -> Iterator[bytes]:
        if self._may_be_bare and not _has_zlib_header(data):
            self._decoder = zlib.decompressobj(-zlib.MAX_WBITS)  # "deflate" without its wrapping, as some servers send
        self._may_be_bare = False
        while data and not self._decoder.eof:
            yield self._decoder.decompress(data, _STEP)
            data = self._decoder.unconsumed_tail


class _Brotli(_Decoder):
    def __init__(self) -> None:
        super().__init__(brotli.Decompressor())

    def decode(self, data: bytes) -> Iterator[bytes]:
        piece = self._decoder.process(data, output_buffer_limit=_STEP)
        while piece:
            yield piece
            piece = b"" if self.complete else self._decoder.process(b"", output_buffer_limit=_STEP)

    @property
    def complete(self) -> bool:
        return bool(self._decoder.is_finished())


class _Zstd(_Decoder):
    def __init__(self) -> None:
        # A frame asks for memory; 8 MiB is what a browser gives it (RFC 9659).
        super().__init__(zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: 23}))

    def decode(self, data: bytes) -> Iterator[bytes]:
        while not self._decoder.eof:
            if piece := self._decoder.decompress(data, _STEP):
                yield piece
            if self._decoder.needs_input:
                return
            data = b""


_DECODERS: Final[dict[str, Callable[[], _Decoder]]] = {
    "gzip": lambda: _Zlib(zlib.MAX_WBITS | 16),
    "x-gzip": lambda: _Zlib(zlib.MAX_WBITS | 16),
    "deflate": lambda: _Zlib(zlib.MAX_WBITS),
    "br": _Brotli,
    "zstd": _Zstd,
}


def layers(header: str) -> tuple[str, ...]:
    """Return the encodings that the header `Content-Encoding` names, in the order in which they were applied.

    Raises:
        NetworkFailure: One is not known, or there are too many.
    """
    named = tuple(name for part in header.split(",") if (name := part.strip().lower()) not in {"", "identity"})
    for name in named:
        if name not in _DECODERS:
            why = f"The answer is compressed in a way that was not asked for: {name[:40]!r}"
            raise NetworkFailure(why, code="encoding")
    if len(named) > MOST_LAYERS:
        raise NetworkFailure("The answer is compressed several times over, which no site does", code="bomb")
    return named


def decode(wire: bytes, encodings: Sequence[str], most: int) -> bytes:
    """Return a body without its encodings. Takes its time: call it in a thread.

    Args:
        wire: The body as it came.
        encodings: What `layers` returned.
        most: Bytes that it may have.

    Raises:
        NetworkFailure: It grows too much, is damaged, or ends too early.
    """
    if not encodings or not wire:
        return wire
    stack = [_DECODERS[name]() for name in reversed(encodings)]
    stream: Iterable[bytes] = (wire,)
    for decoder in stack:  # lazily: no layer holds more than a step of the body, and each stays within the bound
        stream = _layer(decoder, stream, max(ALWAYS_FINE, RATIO * len(wire)))
    pieces: list[bytes] = []
    size = 0
    try:
        for piece in stream:
            size += len(piece)
            if size > most:
                raise NetworkFailure(f"The answer has more than {most:,} bytes once it is unpacked", code="too_large")
            pieces.append(piece)
    except (zlib.error, brotli.error, zstd.ZstdError):
        raise NetworkFailure("The compressed answer is damaged", code="encoding") from None
    if not all(decoder.complete for decoder in stack):
        raise NetworkFailure("The compressed answer ends too early", code="truncated")
    return b"".join(pieces)


def _layer(decoder: _Decoder, stream: Iterable[bytes], bound: int) -> Iterator[bytes]:
    passed = 0
    for data in stream:
        for piece in decoder.decode(data):
            passed += len(piece)
            if passed > bound:
                raise NetworkFailure("The answer grows far too much when it is unpacked", code="bomb")
            yield piece


def _has_zlib_header(data: bytes) -> bool:
    """Return whether data begin with the header of RFC 1950; else they are bare, as RFC 1951 has them."""
    return len(data) > 1 and data[0] & 0x0F == zlib.DEFLATED and (data[0] << 8 | data[1]) % 31 == 0
