"""`python -m bridge` is `vault-bridge`."""

from bridge.cli.main import main

main()
