"""A real warehouse on a real disk."""

from pathlib import Path

import pytest

from stoic_assets.adapters.warehouse.warehouse import Warehouse


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    return Warehouse(tmp_path / "warehouse")
