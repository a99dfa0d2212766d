"""A little geography, for the questions that evaluators like to ask."""

CAPITALS = {
    "argentina": "Buenos Aires",
    "australia": "Canberra",
    "austria": "Vienna",
    "canada": "Ottawa",
    "egypt": "Cairo",
    "france": "Paris",
    "germany": "Berlin",
    "greece": "Athens",
    "ireland": "Dublin",
    "italy": "Rome",
    "japan": "Tokyo",
    "kenya": "Nairobi",
    "norway": "Oslo",
    "poland": "Warsaw",
    "portugal": "Lisbon",
    "spain": "Madrid",
    "sweden": "Stockholm",
}
"""Country, in lower case, to its capital."""
