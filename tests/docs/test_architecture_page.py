"""`docs/architecture.md` has every room of the house, and no other."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def test_every_room_is_in_the_table_and_no_other() -> None:
    table = PAGE.split("\n## The rooms\n", 1)[1].split("\n## ", 1)[0]
    named = {
        name for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE) for name in re.findall(r"`([\w./]+)`", row)
    }
    folders = {f"{init.parent.name}/" for init in (ROOT / "bridge").glob("*/__init__.py")}
    modules = {module.name for module in (ROOT / "bridge").glob("*.py") if not module.name.startswith("__")}
    assert named == folders | modules
