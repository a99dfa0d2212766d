"""What an embedded server recorded of itself, and questions to it."""

import asyncio
import json
from pathlib import Path

from stoic_assets.adapters.graph.bolt import Graph
from stoic_assets.adapters.graph.embedded_server import GraphServer


def record(home: Path) -> dict[str, object]:
    return json.loads((home / "graph" / "server.json").read_text())


def write(server: GraphServer, cypher: str) -> list[dict[str, object]]:
    return asyncio.run(Graph(server.address("stoic")).write(cypher))
