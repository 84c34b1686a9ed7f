"""Building the plugin puts it where an installation takes it from."""

from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from typing import Any

from bridge.plugin import install
from scripts.lib.environment import ROOT


def build_plugin() -> Any:
    """The script, as a module."""
    loader = SourceFileLoader("build_plugin", str(ROOT / "scripts" / "build-plugin"))
    spec = spec_from_loader(loader.name, loader)
    assert spec
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


def test_the_built_files_go_where_the_installed_command_looks_for_them() -> None:
    script = build_plugin()
    assert (script.ASSETS, script.PACKED, script.ID) == (install.FILES, install.PACKED, install.PLUGIN_ID)
