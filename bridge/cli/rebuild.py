"""`vault-bridge rebuild`: prepare all notes for search by meaning anew."""

from bridge.cli.connection import run_once
from bridge.cli.options import AsJson, Vault
from bridge.cli.printer import Printer


def rebuild(vault: Vault = None, as_json: AsJson = False) -> None:
    """Prepare the notes for search by meaning anew.

    That goes on in the background; `vault-bridge status` shows how far it is. Until a
    note is prepared, only its words are found.

    Examples:
      vault-bridge rebuild
    """
    printer = Printer(as_json=as_json)
    found = run_once(vault, lambda bridge: bridge.request("semantic.rebuild"))
    if as_json:
        printer.json(found)
    elif found["state"] == "off":
        printer.say("Search by meaning is off: vault-bridge settings set semanticSearch=auto")
    elif found["state"] == "missing":
        printer.say("No model for search by meaning is installed.")
    else:
        printer.say("The notes are being prepared anew; vault-bridge status shows how far it is.")
