"""The filter, carried out here instruction by instruction as the kernel would."""

import errno
import struct

import pytest

from bridge.sandbox.kernel_rules import filter_program

MACHINES = {"x86_64": (0xC000003E, 41, 101, 0), "aarch64": (0xC00000B7, 198, 117, 63)}
"""Each with its architecture's number, and the numbers of `socket`, `ptrace` and `read`."""
ALLOWED = 0
UNIX, INET, NETLINK = 1, 2, 16


def answer(code: bytes, number: int, architecture: int, first: int = 0) -> int:
    """What a filter answers to a call: 0, or the error."""
    data = struct.pack("=IIQQ", number, architecture, 0, first)
    steps = [struct.unpack("=HBBI", code[at : at + 8]) for at in range(0, len(code), 8)]
    place, held = 0, 0
    while True:
        operation, if_true, if_false, value = steps[place]
        place += 1
        match operation:
            case 0x20:
                (held,) = struct.unpack_from("=I", data, value)
            case 0x15:
                place += if_true if held == value else if_false
            case 0x35:
                place += if_true if held >= value else if_false
            case 0x06:
                return ALLOWED if value == 0x7FFF0000 else value & 0xFFFF


@pytest.mark.parametrize("machine", MACHINES)
def test_calls_that_see_through_walls_are_refused_and_others_are_not(machine: str) -> None:
    architecture, _socket, ptrace, read = MACHINES[machine]
    code = filter_program(network=False, machine=machine)
    assert answer(code, ptrace, architecture) == errno.EPERM
    assert answer(code, 425, architecture) == errno.EPERM, "io_uring makes sockets without the call"
    assert answer(code, read, architecture) == ALLOWED


@pytest.mark.parametrize("machine", MACHINES)
def test_sockets_are_of_the_internet_and_only_where_the_network_is_allowed(machine: str) -> None:
    architecture, socket, _ptrace, _read = MACHINES[machine]
    shut, free = (filter_program(network=network, machine=machine) for network in (False, True))
    assert [answer(shut, socket, architecture, kind) for kind in (UNIX, INET, NETLINK)] == [errno.EACCES] * 3
    assert answer(free, socket, architecture, INET) == ALLOWED
    assert [answer(free, socket, architecture, kind) for kind in (UNIX, NETLINK)] == [errno.EACCES] * 2


def test_the_same_calls_under_other_numbers_are_refused() -> None:
    code = filter_program(network=True, machine="x86_64")
    assert answer(code, 0, 0x40000003) == errno.EPERM, "calls of 32 bits have other numbers"
    assert answer(code, 0x40000000 + 41, 0xC000003E, UNIX) == errno.ENOSYS, "and so have those of x32"


def test_files_are_not_emptied_by_name_where_nothing_else_governs_that() -> None:
    architecture = MACHINES["x86_64"][0]
    assert answer(filter_program(network=True, machine="x86_64"), 76, architecture) == ALLOWED
    assert answer(filter_program(network=True, machine="x86_64", truncate=False), 76, architecture) == errno.EPERM


def test_an_architecture_without_a_filter_is_an_error() -> None:
    with pytest.raises(ValueError, match="no filter"):
        filter_program(network=True, machine="mips")
