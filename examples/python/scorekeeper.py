"""Keeps the score of a game and the statistics of one side. Copy and adapt it.

API=https://api.example.com API_KEY=… python3 scorekeeper.py <scheduleId> <teamId>

Requires flag_football.py beside it, or the package flag-football-client. Every step can be repeated.
"""

import os
import sys

from flag_football import ApiError, Client

game, team_id = f"/schedules/{sys.argv[1]}", sys.argv[2]


def set_score(client, team_one, team_two, status):
    owner = client.get(game)["teamId"]
    scores = {"teamOneScore": team_one, "teamTwoScore": team_two}
    client.update(game, {"teamId": owner, "status": status, **scores})


def set_row(client, row):
    """Replaces one row of the side, and keeps the others, even if another scorer writes at the same time."""
    statistics = client.get(f"{game}/player-statistics", teamId=team_id)
    keys = ("playerId", "category", "stats")
    rows = [{key: each[key] for key in keys} for each in statistics["data"]]
    others = [each for each in rows if any(each[key] != row[key] for key in keys[:2])]
    try:
        client.put(f"{game}/player-statistics", {"rows": [*others, row]}, if_match=statistics, teamId=team_id)
    except ApiError as error:
        if error.code != 41201:
            raise
        set_row(client, row)


with Client(os.environ["API_KEY"], os.environ["API"]) as client:
    player = next(client.rows(f"/teams/{team_id}/players"))
    set_score(client, 6, 0, "scheduled")
    set_row(client, {"playerId": player["_id"], "category": "qb", "stats": {"passAttempts": 2, "completions": 1}})
    set_score(client, 6, 0, "final")
