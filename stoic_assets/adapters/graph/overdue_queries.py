"""Ends queries that ArcadeDB keeps running after their reader left: it ignores time-outs and closed connections."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from neo4j import AsyncSession


async def end_overdue(session: "AsyncSession", username: str, cypher: str, seconds: float) -> None:
    """Terminates the runs of this query by this account that began more than `seconds` ago."""
    running = await session.run("SHOW TRANSACTIONS")
    overdue = [
        row["transactionId"]
        async for row in running
        if row["username"] == username and row["currentQuery"] == cypher and row["elapsedTime"].seconds >= seconds
    ]
    for transaction in overdue:
        await (await session.run(f"TERMINATE TRANSACTIONS '{transaction}'")).consume()
