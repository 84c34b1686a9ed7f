"""Which addresses are public: the same answer on every machine and with every version of Python."""

import ipaddress

import pytest

from bridge.web.guard import is_for_services, is_here, is_public


@pytest.mark.parametrize(
    "address",
    [
        "8.8.8.8",
        "1.1.1.1",
        "93.184.216.34",
        "100.63.255.255",
        "100.128.0.0",
        "172.15.0.1",
        "172.32.0.1",
        "192.0.1.1",
        "169.253.255.255",
        "198.17.0.1",
        "198.20.0.1",
        "223.255.255.255",
        "2606:2800:220:1::1",
        "2a00:1450:4001::1",
        "64:ff9b::808:808",
    ],
)
def test_an_address_of_the_internet_is_public(address: str) -> None:
    assert is_public(ipaddress.ip_address(address))
    assert is_for_services(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0",  # noqa: S104 - what is refused
        "0.1.2.3",
        "10.0.0.1",
        "100.64.0.1",
        "100.100.100.200",
        "127.0.0.1",
        "127.255.255.254",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.192",
        "192.0.2.1",
        "192.88.99.1",
        "192.168.1.1",
        "198.18.0.1",
        "198.51.100.1",
        "203.0.113.1",
        "224.0.0.1",
        "239.255.255.250",
        "240.0.0.1",
        "255.255.255.255",
        "168.63.129.16",
        "::",
        "::1",
        "::7f00:1",
        "::ffff:127.0.0.1",
        "::ffff:8.8.8.8",
        "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::1",
        "100::1",
        "2001::1",
        "2001:db8::1",
        "2002:7f00:1::",
        "2002:a9fe:a9fe::",
        "3fff::1",
        "5f00::1",
        "fc00::1",
        "fd00:ec2::254",
        "fe80::1",
        "fec0::1",
        "ff02::1",
        "4000::1",
    ],
)
def test_every_other_address_is_not(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "10.1.2.3", "172.16.0.1", "192.168.1.5", "fd12::1"])
def test_a_service_may_be_on_this_machine_or_at_home(address: str) -> None:
    assert is_for_services(ipaddress.ip_address(address))


@pytest.mark.parametrize("address", ["169.254.169.254", "fe80::1", "0.1.2.3", "224.0.0.1"])
def test_a_service_is_never_where_a_clouds_metadata_are(address: str) -> None:
    assert not is_for_services(ipaddress.ip_address(address))


def test_this_machine_is_all_of_its_loopback() -> None:
    assert is_here(ipaddress.ip_address("127.0.0.1"))
    assert is_here(ipaddress.ip_address("::1"))
    assert not is_here(ipaddress.ip_address("0.0.0.0"))  # noqa: S104 - what is refused
