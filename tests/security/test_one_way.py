"""A tool can have an effect only through the pipeline."""

import ast
from pathlib import Path

import pytest

BRIDGE = Path(__file__).parents[2] / "bridge"

ONLY_FROM = {
    # what is called           which files may call it
    "ledger.apply": {"toolkit/effects/writing.py"},
    "tool.run": {"toolkit/effects/tool_run.py"},
    "tool.report": {"toolkit/effects/writing.py"},
    "tool.prepare": {"toolkit/pipeline.py"},
    # In a contributor's tests there is nobody to ask; nothing in the bridge imports bridge.testing.
    "broker.respond": {"rpc/methods/consent.py", "testing/sandbox.py"},
}


def _uses(source: Path) -> set[str]:
    """Every `x.name` in a file, as `x.name` with leading underscores and `self.` dropped."""
    found = set()
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute):
            owner = node.value
            name = owner.attr if isinstance(owner, ast.Attribute) else owner.id if isinstance(owner, ast.Name) else ""
            found.add(f"{name.lstrip('_')}.{node.attr}")
    return found


@pytest.mark.slow
def test_effects_are_reached_from_the_pipeline_only() -> None:
    used = {
        source.relative_to(BRIDGE).as_posix(): _uses(source)
        for source in BRIDGE.rglob("*.py")
        if "cli" not in source.relative_to(BRIDGE).parts
    }
    for call, allowed in ONLY_FROM.items():
        users = {name for name, uses in used.items() if call in uses}
        assert users <= allowed, f"{call} is used in {users - allowed}"
        assert users, f"nothing uses {call}: this test no longer tests anything"


def test_leaf_tools_know_nothing_of_consent_logs_limits_or_the_ledger() -> None:
    banned = (
        "bridge.consent",
        "bridge.journal",
        "bridge.policy",
        "bridge.toolkit.pipeline",
        "bridge.toolkit.consent_step",
        "bridge.toolkit.effects",
    )
    for source in (BRIDGE / "tools").rglob("*.py"):
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            names = (
                [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else []
            )
            # What a call touches is a value that tools make; what follows from it they do not know.
            assert not [n for n in names if n.startswith(banned) and n != "bridge.policy.targets"], source
