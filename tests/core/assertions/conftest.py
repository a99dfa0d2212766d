"""Where tests find what they share besides fixtures."""

import sys
from pathlib import Path

# It is in modules, not tests: importlib mode leaves sys.path alone.
sys.path.insert(0, str(Path(__file__).parent / "parts"))
