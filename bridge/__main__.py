"""`vault-bridge`, and `python -m bridge`, which is the same."""

import sys


def main() -> None:
    """Run the command that this process was started with; where a package is missing, say so in a sentence."""
    try:
        from bridge.cli.main import main as run  # noqa: PLC0415 - what it imports may be missing

        run()
    except ImportError as error:
        from bridge.health.reinstalling import install_again  # noqa: PLC0415 - needs the standard library alone

        what = next(iter(str(error).splitlines()), type(error).__name__)
        sys.exit(f"This installation of Vault Bridge is incomplete: {what}\n{install_again()}")


if __name__ == "__main__":
    main()
