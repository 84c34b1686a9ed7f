"""Puts the scripts' own modules in reach, as the scripts themselves do."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
