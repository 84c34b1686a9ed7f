"""The way of a warm call stays short: the bench counts it, and it does not grow unnoticed."""

import pytest

from scripts.lib import bench_path

MOST = {"grep": 53, "apply_patch": 78}
"""Files that each call passes through at most."""


@pytest.mark.slow
async def test_a_call_passes_through_no_more_files_than_it_did() -> None:
    counted = await bench_path.passed()
    for name, most in MOST.items():
        path = counted[name]
        assert len(path.files) <= most, sorted(path.files)
        assert {"toolkit/pipeline.py", "toolkit/consent_step.py", "vault/disk.py"} <= path.files
        assert path.functions < path.calls
    assert "index/texts/grep.py" in counted["grep"].files, "what runs in a worker thread is counted"
    assert "journal/ledger.py" in counted["apply_patch"].files - counted["grep"].files
