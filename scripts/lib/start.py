"""The part of `scripts/start` inside `.venv`: serve a vault, or show the demonstration."""

import asyncio
import sys
from pathlib import Path

from bridge.cli.keyboard import PersonLeft
from bridge.cli.main import app, prepare_streams
from scripts.lib.answers import open_answers
from scripts.lib.demo import PLAYGROUND, Demo
from scripts.lib.options import parse_start


def main() -> int:
    """Serve or show; the exit code."""
    prepare_streams()
    options = parse_start(sys.argv[1:])
    if options.vault is not None:
        _serve(options.vault, options.port, options.preset, yes=options.yes)
        return 0
    try:
        asyncio.run(Demo(open_answers(yes=options.yes), port=options.port, playground=PLAYGROUND).show())
    except (PersonLeft, KeyboardInterrupt):
        print("\nLeft. Nothing else happens; the copy of the vault stays in playground/.")
        return 130
    return 0


def _serve(vault: Path, port: int, preset: str | None, *, yes: bool) -> None:
    """As `vault-bridge serve` does, which then runs in this process."""
    if preset is None and yes and not (vault / ".vault-bridge" / "settings.json").exists():
        preset = "vault"
    chosen = ["--preset", preset] if preset else []
    app(["serve", "--vault", str(vault), "--port", str(port), *chosen])


if __name__ == "__main__":
    sys.exit(main())
