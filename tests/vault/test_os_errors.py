"""What the operating system said, as a failure."""

import errno
import os

import pytest

from bridge.errors import ErrorType
from bridge.vault.disk import as_failure


@pytest.mark.parametrize(
    ("code", "error_type", "failure_code"),
    [
        (errno.ENOENT, ErrorType.NOT_FOUND, None),
        (errno.ENOTDIR, ErrorType.NOT_FOUND, None),
        (errno.ELOOP, ErrorType.NOT_FOUND, None),
        (errno.EISDIR, ErrorType.INVALID_PARAMETERS, None),
        (errno.ENXIO, ErrorType.INVALID_PARAMETERS, None),
        (errno.EEXIST, ErrorType.CONFLICT, "exists"),
        (errno.ESTALE, ErrorType.CONFLICT, "stale"),
        (errno.EACCES, ErrorType.EXECUTION_FAILED, None),
        (errno.ENOSPC, ErrorType.EXECUTION_FAILED, None),
        (errno.EIO, ErrorType.EXECUTION_FAILED, None),
    ],
)
def test_each_error_is_the_failure_of_the_table_and_tells_no_absolute_path(
    code: int, error_type: ErrorType, failure_code: str | None
) -> None:
    failure = as_failure(OSError(code, os.strerror(code), "/home/ada/Vault/Notes/x.md"), "Notes/x.md")
    assert failure.error_type is error_type
    assert failure.code == failure_code
    assert "'Notes/x.md'" in failure.message
    assert "/home" not in failure.message


def test_an_error_without_a_number_is_reported_too() -> None:
    assert "unknown error" in as_failure(OSError("odd"), "x.md").message
