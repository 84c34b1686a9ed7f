"""The pictures in the README: the terminal as SVG, drawn by the code that draws it, and the window from the browser."""

import os
import shutil
import subprocess
import sys
from io import StringIO
from typing import Final

import orjson
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

from bridge.cli.answer_keys import draw_legend, offered_keys
from bridge.cli.question_screen import draw_question
from bridge.contract.consent import ConsentRequest
from scripts.lib.environment import ROOT
from scripts.lib.plugin import FOLDER, find_browser
from scripts.lib.record import RECORDED

PICTURES: Final = ROOT / "docs" / "images"
WIDTH: Final = 80
WINDOWS: Final = {
    "window-light": "consent-edit-light",
    "window-dark": "consent-edit-dark",
}
"""The pictures of windows, and the screenshot that each is."""

_SVG: Final = """\
<svg xmlns="http://www.w3.org/2000/svg" class="rich-terminal" viewBox="0 0 {width} {height}">
<style>
.{unique_id}-matrix {{ font: {char_height}px/{line_height}px ui-monospace, Menlo, Consolas, monospace; }}
.{unique_id}-title {{ font: bold 18px system-ui, sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal"><rect width="{terminal_width}" height="{terminal_height}"/></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""
"""Like rich's own, without fonts from the network."""


def terminal_picture() -> str:
    """A question as `vault-bridge approve` shows it, as SVG."""
    questions = orjson.loads((RECORDED / "questions.json").read_bytes())
    question = ConsentRequest.model_validate(questions["apply_patch"])
    drawn = draw_question(question, width=WIDTH)
    console = Console(record=True, width=WIDTH, file=StringIO(), markup=False, emoji=False, highlight=False)
    for line in [*drawn.lines, *draw_legend(offered_keys(question, cut=drawn.cut), WIDTH), Text()]:
        console.print(line, no_wrap=True, overflow="ignore", crop=False)
    svg = console.export_svg(title="vault-bridge approve", theme=MONOKAI, code_format=_SVG, unique_id="terminal")
    return "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"


def main() -> int:
    """The command. Returns its exit code."""
    PICTURES.mkdir(exist_ok=True)
    (PICTURES / "terminal.svg").write_text(terminal_picture(), encoding="utf-8", newline="\n")
    npm, browser = shutil.which("npm"), find_browser()
    if npm is None or browser is None:
        print("Without npm and a Chromium, only the terminal's picture was made.", file=sys.stderr)
        return 1
    names = "|".join(sorted({shot.rpartition("-")[0] for shot in WINDOWS.values()}))
    run = [npm, "--prefix", FOLDER, "run", "screenshots", "--", "-t", f"[ ']({names})'?$"]
    done = subprocess.run(run, cwd=ROOT, env={**os.environ, "CHROMIUM": browser}, check=False)
    if done.returncode:
        return done.returncode
    for name, shot in WINDOWS.items():
        shutil.copyfile(ROOT / FOLDER / "screenshots" / f"{shot}.png", PICTURES / f"{name}.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
