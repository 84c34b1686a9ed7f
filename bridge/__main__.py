"""`vault-bridge`, and `python -m bridge`, which is the same."""

import sys


def main() -> None:
    """Run the command of this process; where a package is missing or damaged, say so in a sentence."""
    try:
        from bridge.cli.main import main as run  # noqa: PLC0415 - what it imports may be missing

        run()
    except Exception as error:
        from bridge.health.reinstalling import fault_of_loading, install_again  # noqa: PLC0415 - the standard library

        if (fault := fault_of_loading(error)) is None:
            raise
        sys.exit(f"This installation of Vault Bridge is incomplete: {fault}\n{install_again()}")


if __name__ == "__main__":
    main()
