"""Synchronizes teams and players, for example every night, and keeps a copy of the organization.
Copy and adapt it. Every step can be repeated: if a run is interrupted, start it again.

    API=http://localhost:3000/v1/public-api API_KEY=… python3 nightly_sync.py

Requires Python 3.9 or later, and no packages. Reads your records from export.json, and keeps the
copy in mirror.json. The teams and players in export.json are rows of bulk requests:

    {"teams": [{"externalId": "club-7", "name": "Owls", "season": "…"}],
     "rosters": [{"team": "club-7",
                  "players": [{"externalId": "member-1", "name": "Jordan Lee"}],
                  "newPositions": [{"player": "member-1", "position": "QB"}]}]}

An update keeps the fields that a row does not have. Both systems edit positions here, so players
have no position, which would replace the stored list; newPositions are added to that list.
"""

import json
import os
import time
from http.client import HTTPException
from pathlib import Path
from urllib.request import HTTPError, Request, urlopen

API = os.environ.get("API", "http://localhost:3000/v1/public-api")
HEADERS = {"Authorization": f"Bearer {os.environ['API_KEY']}", "Content-Type": "application/json"}
MIRROR = Path("mirror.json")


def send(method, path, body=None, headers=HEADERS, handled=None):
    """Returns the body of the response, or None for an error status that the caller handles."""
    request = Request(API + path, body and json.dumps(body).encode(), headers, method=method)
    for _ in range(10):
        try:
            return json.load(urlopen(request, timeout=30))
        except HTTPError as error:
            if error.code == handled:
                return None
            # 429 and 503 have it, and any other error after which the request can be repeated.
            if "Retry-After" not in error.headers:
                raise RuntimeError(f"{method} {path}: {error.read().decode()}") from error
            problem, seconds = error, error.headers["Retry-After"]
        except (OSError, HTTPException, ValueError) as error:
            # The connection was lost, perhaps after a write. Every request here can be repeated.
            problem, seconds = error, 2
        time.sleep(int(seconds))
    raise RuntimeError(f"{method} {path}: {problem}")


def bulk_upsert(path, rows):
    """Creates or updates records, 100 per request. Prints failed rows, returns the other IDs."""
    ids = {}
    for start in range(0, len(rows), 100):
        answer = send("POST", path, {"rows": rows[start : start + 100]})
        failed = [row for row in answer["data"] if row["result"] == "failed"]
        print(f"{path} from row {start}:", json.dumps({**answer["summary"], "failed": failed}))
        ids.update({row["externalId"]: row["_id"] for row in answer["data"] if "_id" in row})
    return ids


def add_position(path, position):
    """Adds a position to a player, without removing one that is added at the same time."""
    player = send("GET", path)["data"]
    if position not in player["position"]:
        if_match = {**HEADERS, "If-Match": f'"{player["revision"]}"'}
        if not send("PATCH", path, {"position": player["position"] + [position]}, if_match, 412):
            add_position(path, position)  # Another change came first: read it.


def follow_changes(mirror):
    """Brings the mirror up to date, from where the last run ended."""
    page = {"hasMore": True}
    while page["hasMore"]:
        cursor = f"&cursor={mirror['cursor']}" if "cursor" in mirror else ""
        page = send("GET", f"/changes?kinds=season,team,player,schedule{cursor}", handled=410)
        if not page:
            # The last run was more than 30 days ago, so the feed no longer has every deletion.
            return follow_changes({"records": {}})
        for change in page["data"]:
            key = f"{change['kind']} {change['id']}"
            mirror["records"].pop(key, None)
            if not change["deleted"]:
                mirror["records"][key] = change["record"]
        mirror["cursor"] = page["nextCursor"]
        # Replaces the file at once, so that a crash cannot separate the records from the cursor.
        Path("mirror.json.new").write_text(json.dumps(mirror))
        Path("mirror.json.new").replace(MIRROR)


export = json.loads(Path("export.json").read_text(encoding="utf-8"))
team_ids = bulk_upsert("/teams/bulk", export["teams"])
for roster in export["rosters"]:
    if roster["team"] in team_ids:  # Otherwise the team failed.
        players = f"/teams/{team_ids[roster['team']]}/players"
        bulk_upsert(f"{players}/bulk", roster["players"])
        for new in roster["newPositions"]:
            try:
                add_position(f"{players}/by-external-id/{new['player']}", new["position"])
            except RuntimeError as error:
                print(error)
follow_changes(json.loads(MIRROR.read_text()) if MIRROR.exists() else {"records": {}})
