"""What a server's answer is made into."""

import pytest

from bridge.errors import ExecutionFailed
from bridge.tools.servers import output as output_of

HOSTILE = "\x1b]52;c;ZXZpbA==\x07 \u202egnp.exe"
SHOWN = "<U+001B>]52;c;ZXZpbA==<U+0007> <U+202E>gnp.exe"


def test_what_steers_a_terminal_is_shown_as_code_points_and_is_data_as_it_came() -> None:
    content = [{"type": "text", "text": HOSTILE}]
    output = output_of("papers", {"content": content, "structuredContent": {"said": HOSTILE}})
    assert SHOWN in output.text
    assert "\x1b" not in output.text
    assert output.data == {"said": HOSTILE}
    with pytest.raises(ExecutionFailed) as caught:
        output_of("papers", {"content": content, "isError": True})
    assert SHOWN in caught.value.message
