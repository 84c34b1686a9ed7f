"""Runs one tool of the user's own, in a process of its own, and ends. It is given to `python -I -S -c`.

A line of JSON comes in: {type: "execute", code, parameters, timeout}. What goes out has a descriptor of its own, since
the code prints where it likes: {type: "started"} when its time begins, and at last {success, result?, error?,
executionTime}. Between them, {type: "call", id, name, arguments} asks the bridge for a call of one of its tools, and
{id, success, result?, error?, code?} comes back.

It imports nothing but the standard library: it is run outside of the bridge.
"""

import ast
import contextlib
import json
import os
import sys
import time
import traceback
from typing import Any

PARAMETERS = "parameters, params, bridge"
"""The names of the values that the code is given."""


def compiled(code: str) -> Any:
    """Return the code as the body of a function, compiled and not run.

    Args:
        code: The body.

    Raises:
        SyntaxError: It is none; so do ValueError, RecursionError and MemoryError say.
    """
    module = ast.parse(f"def tool({PARAMETERS}): pass", "tool")
    function = module.body[0]
    if not isinstance(function, ast.FunctionDef):
        raise TypeError("the line above defines a function")
    function.body = ast.parse(code, "tool").body or function.body
    return compile(module, "tool", "exec", dont_inherit=True)


class CallFailed(Exception):
    """A call of one of the bridge's tools failed.

    Attributes:
        code: Why, for programs.
    """

    def __init__(self, message: str, code: "str | None") -> None:
        super().__init__(message)
        self.code = code


class Bridge:
    """The tools of the bridge, for the code.

    Args:
        questions: Where calls go out.
        answers: Where answers come in.
    """

    def __init__(self, questions: Any, answers: Any) -> None:
        self._questions = questions
        self._answers = answers
        self._count = 0

    def call(self, name: str, arguments: "dict[str, Any] | None" = None, **more: Any) -> Any:
        """Call a tool of the bridge.

        Args:
            name: The tool.
            arguments: Its arguments.
            **more: More of them, by name.

        Returns:
            Its data; where it has none, its text.

        Raises:
            CallFailed: It failed, or was not allowed.
        """
        self._count += 1
        asked = {"type": "call", "id": self._count, "name": name, "arguments": {**(arguments or {}), **more}}
        self._questions.write(json.dumps(asked) + "\n")
        self._questions.flush()
        line = self._answers.readline()
        if not line:
            raise SystemExit(1)  # the bridge wants no more
        answer = json.loads(line)
        if not answer["success"]:
            raise CallFailed(answer.get("error") or "the call failed", answer.get("code"))
        return answer.get("result")


def main() -> None:
    """Take one request, answer it, and end."""
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    answers = os.fdopen(os.dup(0), encoding="utf-8")
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    request = json.loads(answers.readline())
    bridge = Bridge(channel, answers)
    channel.write('{"type": "started"}\n')
    channel.flush()
    started = time.perf_counter()
    try:
        answer = {"success": True, "result": _run(request["code"], request["parameters"], bridge)}
        line = json.dumps(answer, allow_nan=False)
    except BaseException as error:  # noqa: BLE001 - whatever the code raises is its answer
        traceback.print_exc()
        line = json.dumps({"success": False, "error": f"{type(error).__name__}: {error}"})
    channel.write(line[:-1] + f', "executionTime": {(time.perf_counter() - started) * 1000}}}\n')
    channel.flush()
    with contextlib.suppress(Exception):  # the code may have closed them
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(0)  # whatever threads it has left


def _run(code: str, parameters: Any, bridge: Bridge) -> Any:
    names: dict[str, Any] = {"__name__": "tool", "CallFailed": CallFailed}
    exec(compiled(code), names)  # noqa: S102 - the user's own code, in a sandbox
    return names["tool"](parameters, parameters, bridge)


if __name__ == "__main__":
    main()
