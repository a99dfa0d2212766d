"""Where the tests of the documents have what they share."""

import sys
from pathlib import Path

# What tests share is in modules, not in tests: importlib mode leaves sys.path alone.
sys.path.insert(0, str(Path(__file__).parent / "parts"))
