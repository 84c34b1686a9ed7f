"""What compares by meaning keeps to the thread that asks: on a busy machine threads of numpy wait for each other."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("numpy", reason="comes with the extra `semantic`")

PROGRAM = """
import os, threading
from bridge.index.vectors.embedder import load_numpy
os.environ["OMP_NUM_THREADS"] = "7"
load_numpy()
import numpy as np
square = np.ones((600, 600), np.float32)
square @ square
print(len(os.listdir("/proc/self/task")), os.environ["OMP_NUM_THREADS"], "OPENBLAS_NUM_THREADS" in os.environ)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted as Linux counts them")
@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="one processor has no other threads")
def test_numpy_works_in_one_thread_and_the_environment_is_as_it_was() -> None:
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)  # noqa: S603 - ours
    assert done.stdout.split() == ["1", "7", "False"]
