"""What an evaluation publishes."""

import asyncio
from collections.abc import Callable
from typing import Any

from stoic_assets.adapters.evaluation.publishing import Published, publish
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.evaluation.manifest import Manifest

Make = Callable[..., Manifest]
Say = Callable[[str, float], str]
Sent = Callable[[Workplace, Manifest], list[dict[str, Any]]]


def published(workplace: Workplace, manifest: Manifest) -> Published:
    return asyncio.run(publish(workplace, manifest))
