"""The recorded answers that the plugin is tested with are those that the bridge gives today."""

import sys

import pytest

from scripts.lib.record import files_of, outdated, record

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="what the bridge says of a system's trash and limits differs"),
]


async def test_a_new_recording_changes_nothing() -> None:
    """On a mismatch, run `python3 scripts/record-fixtures` and look at what it changes."""
    assert outdated(files_of(await record())) == []
