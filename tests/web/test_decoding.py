"""Bodies are unpacked within bounds: of size, of growth, of layers, of memory."""

import gzip
import tracemalloc
import zlib
from collections.abc import Callable

import brotli
import pytest
from backports import zstd
from hypothesis import given
from hypothesis import strategies as st

from bridge.errors import NetworkFailure
from bridge.web.decoding import decode, layers

MIB = 1024 * 1024
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": lambda data: gzip.compress(data, 9),
    "deflate": lambda data: zlib.compress(data, 9),
    "br": lambda data: brotli.compress(data, quality=5),
    "zstd": lambda data: zstd.compress(data, 9),
}


@pytest.mark.parametrize("encoding", PACKERS)
@given(st.binary(max_size=5000), st.integers(1, 40))
def test_what_was_packed_is_unpacked(encoding: str, data: bytes, times: int) -> None:
    body = data * times
    assert decode(PACKERS[encoding](body), layers(encoding), len(body) + 1) == body


def test_bare_deflate_is_unpacked_as_browsers_do() -> None:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    bare = packer.compress(b"hello" * 100) + packer.flush()
    assert decode(bare, ["deflate"], MIB) == b"hello" * 100


def test_two_layers_are_unpacked_the_last_one_first() -> None:
    packed = PACKERS["br"](PACKERS["gzip"](b"hello" * 100))
    assert decode(packed, layers("gzip, br"), MIB) == b"hello" * 100


def test_no_encoding_leaves_a_body_as_it_is() -> None:
    assert decode(b"hello", layers(" identity , "), MIB) == b"hello"


@pytest.mark.parametrize("encoding", PACKERS)
def test_a_body_has_at_most_as_many_bytes_as_are_allowed(encoding: str) -> None:
    packed = PACKERS[encoding](bytes(range(256)) * 100)
    with pytest.raises(NetworkFailure) as failed:
        decode(packed, [encoding], 25_599)
    assert failed.value.code == "too_large"
    assert len(decode(packed, [encoding], 25_600)) == 25_600


@pytest.mark.slow
@pytest.mark.parametrize("encodings", ["gzip", "deflate", "br", "zstd", "gzip, gzip", "br, gzip", "zstd, br"])
def test_a_bomb_is_refused_before_it_takes_memory(encodings: str) -> None:
    packed = bytes(200 * MIB)
    for encoding in layers(encodings):
        packed = PACKERS[encoding](packed)
    tracemalloc.start()
    try:
        with pytest.raises(NetworkFailure) as failed:
            decode(packed, layers(encodings), 1024 * MIB)
        assert tracemalloc.get_traced_memory()[1] < 64 * MIB
    finally:
        tracemalloc.stop()
    assert failed.value.code == "bomb"


def test_what_vanishes_again_in_the_next_layer_counts_too() -> None:
    """A layer that grows to nothing but empty frames is a bomb all the same."""
    packed = PACKERS["gzip"](zstd.compress(b"") * 800_000)
    with pytest.raises(NetworkFailure) as failed:
        decode(packed, ["zstd", "gzip"], MIB)
    assert failed.value.code == "bomb"


@pytest.mark.parametrize("encoding", PACKERS)
def test_a_body_that_ends_too_early_is_refused(encoding: str) -> None:
    packed = PACKERS[encoding](bytes(range(256)) * 400)
    for end in (1, 5, len(packed) // 2, len(packed) - 1):
        with pytest.raises(NetworkFailure) as failed:
            decode(packed[:end], [encoding], MIB)
        assert failed.value.code in {"truncated", "encoding"}


@pytest.mark.parametrize("encoding", PACKERS)
@given(st.binary(min_size=1, max_size=300))
def test_damaged_bodies_are_refused_or_small(encoding: str, data: bytes) -> None:
    try:
        body = decode(data, [encoding], MIB)
    except NetworkFailure:
        return
    assert len(body) <= MIB


@pytest.mark.parametrize(
    ("header", "code"), [("compress", "encoding"), ("gzip, sdch", "encoding"), ("gzip, gzip, gzip", "bomb")]
)
def test_other_encodings_and_towers_of_them_are_refused(header: str, code: str) -> None:
    with pytest.raises(NetworkFailure) as failed:
        layers(header)
    assert failed.value.code == code
