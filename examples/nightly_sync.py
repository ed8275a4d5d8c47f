"""Synchronizes teams, players and games, for example every night, and keeps a copy of the
organization. Copy and adapt it. Every step can be repeated: if a run is interrupted, start it again.

    API=https://api.example.com/v1/public-api API_KEY=… python3 nightly_sync.py

Requires Python 3.9 or later, and no packages. Reads your records from export.json, and keeps the
copy in mirror.json. The teams, players and schedules in export.json are rows of bulk requests:

    {"teams": [{"externalId": "club-7", "name": "Owls", "season": "…"}],
     "rosters": [{"team": "club-7",
                  "players": [{"externalId": "member-1", "name": "Jordan Lee"}],
                  "newPositions": [{"player": "member-1", "position": "QB"}]}],
     "schedules": [{"externalId": "game-1", "team": "club-7", "startDate": "…",
                    "teamTwoName": "Foxes"}]}

Deletes what it has sent before and no longer finds in export.json, and nothing else. An update
keeps the fields that a row does not have. Both systems edit positions here, so players have no
position, which would replace the stored list; newPositions are added to that list. Players who
change teams are moved.
"""

import itertools
import json
import os
import time
from collections import Counter
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from pathlib import Path
from urllib.request import HTTPError, Request, urlopen

API = os.environ.get("API", "http://localhost:3000/v1/public-api")
HEADERS = {"Authorization": f"Bearer {os.environ['API_KEY']}", "Content-Type": "application/json"}
MIRROR = Path("mirror.json")


def send(method, path, body=None, headers=HEADERS, handled=None):
    """Returns the body of the response, or None for an error status that the caller handles."""
    request = Request(API + path, body and json.dumps(body).encode(), headers, method=method)
    for attempt in itertools.count(1):
        retry_after = ""
        try:
            return json.load(urlopen(request, timeout=30))
        except HTTPError as error:
            if error.code == handled:
                return None
            retry_after = error.headers.get("Retry-After", "")
            is_final = error.code not in (429, 502, 503, 504) and not retry_after
            if is_final or attempt == 10:
                raise RuntimeError(f"{method} {path}: {error.code} {error.read().decode()}") from error
        except (OSError, HTTPException, ValueError) as error:
            # The connection was lost, perhaps after a write. Every request here can be repeated.
            if attempt == 10:
                raise RuntimeError(f"{method} {path}: {error}") from error
        time.sleep(retry_delay(retry_after, attempt))


def retry_delay(retry_after, attempt):
    """Returns the seconds to wait: Retry-After, which has seconds or a date, but at least 1, 2, 4, …
    up to 30."""
    try:
        given = int(retry_after) if retry_after.isdigit() else parsedate_to_datetime(retry_after).timestamp() - time.time()
    except (TypeError, ValueError):
        given = 0
    return min(3600, max(given, min(30, 2 ** (attempt - 1))))


mirror = json.loads(MIRROR.read_text()) if MIRROR.exists() else {"records": {}}
# The IDs of the records that were sent, by path and key_of.
sent = mirror.setdefault("sent", {})
# The revisions of this run's own changes, by ID.
own = {}


def save_mirror():
    """Replaces the file atomically, so that a crash cannot separate the records from the cursor."""
    Path("mirror.json.new").write_text(json.dumps(mirror))
    Path("mirror.json.new").replace(MIRROR)


def key_of(path, row):
    """Identifies a record of a path: external IDs of players are unique within a team."""
    return f"{row['teamExternalId']} {row['externalId']}" if path == "/players/bulk" else row["externalId"]


def bulk(path, rows):
    """Creates, updates, moves or deletes records, 100 per request. Prints the failed rows, and
    returns their external IDs."""
    failed_ids = set()
    for start in range(0, len(rows), 100):
        answer = send("POST", path, {"rows": rows[start : start + 100]})
        failed = [row for row in answer["data"] if row["result"] == "failed"]
        print(f"{path} from row {start}:", json.dumps({**answer["summary"], "failed": failed}))
        ids = sent.setdefault(path, {})
        for row in answer["data"]:
            key = key_of(path, rows[start + row["index"]])
            if "_id" in row:
                own[row["_id"]] = row["revision"]
            if "_id" in row and row["result"] != "deleted":
                ids[key] = row["_id"]
            elif row["result"] == "failed":
                failed_ids.add(row.get("externalId"))
            else:
                ids.pop(key, None)
        save_mirror()
    return failed_ids


def deletions(path, rows):
    """Returns rows that delete what was sent before and is not among these rows."""
    kept = {key_of(path, row) for row in rows}
    gone = [key.split(" ") for key in sent.get(path, {}) if key not in kept]
    return [{**dict(zip(("externalId", "teamExternalId"), reversed(key))), "delete": True} for key in gone]


def players_of(rosters):
    """Returns the rows of all players. One of a single team is moved to it; someone of several teams
    is a player in each."""
    rows = [{**row, "teamExternalId": roster["team"]} for roster in rosters for row in roster["players"]]
    counts = Counter(row["externalId"] for row in rows)
    return [{**row, "move": counts[row["externalId"]] == 1} for row in rows]


def send_players(players):
    """Sends the players of all teams, 100 per request, and deletes those that the export no longer has."""
    moving = {row["externalId"] for row in players if row["move"]}
    moved, gone = [], []
    for row in deletions("/players/bulk", players):
        # Of each player who changes teams, one stays to be moved.
        (moved if row["externalId"] in moving else gone).append(row)
        moving.discard(row["externalId"])
    bulk("/players/bulk", gone)
    failed = bulk("/players/bulk", players)
    # Players whose row failed stay in their old team.
    bulk("/players/bulk", [row for row in moved if row["externalId"] not in failed])


def add_position(path, position):
    """Adds a position to a player, without removing one that is added at the same time."""
    player = send("GET", path)["data"]
    if position not in player["position"]:
        if_match = {**HEADERS, "If-Match": f'"{player["revision"]}"'}
        body = {"position": player["position"] + [position]}
        updated = send("PATCH", path, body, if_match, 412)
        if updated:
            own[updated["_id"]] = updated["revision"]
        else:
            add_position(path, position)  # Another change came first: read it.


def follow_changes():
    """Brings the mirror up to date, from where the last run ended, and prints others' changes."""
    page = {"hasMore": True}
    while page["hasMore"]:
        cursor = f"&cursor={mirror['cursor']}" if "cursor" in mirror else ""
        page = send("GET", f"/changes?kinds=season,team,player,schedule{cursor}", handled=410)
        if not page:
            # The last run was more than 30 days ago, so the feed no longer has every deletion.
            del mirror["cursor"]
            mirror["records"] = {}
            return follow_changes()
        for change in page["data"]:
            key = f"{change['kind']} {change['id']}"
            mirror["records"].pop(key, None)
            if not change["deleted"]:
                mirror["records"][key] = change["record"]
            # A row with the revision of an own change is its echo.
            if cursor and own.get(change["id"]) != change.get("revision"):
                print("Changed:", key, change.get("changedBy"))
        mirror["cursor"] = page["nextCursor"]
        save_mirror()


export = json.loads(Path("export.json").read_text(encoding="utf-8"))
bulk("/teams/bulk", export["teams"])
games = [{**row, "teamExternalId": row["team"]} for row in export.get("schedules", [])]
for game in games:
    del game["team"]
bulk("/schedules/bulk", games + deletions("/schedules/bulk", games))
send_players(players_of(export["rosters"]))
team_ids = sent.get("/teams/bulk", {})
for roster in export["rosters"]:
    players = f"/teams/{team_ids.get(roster['team'])}/players"
    for new in roster["newPositions"]:
        try:
            add_position(f"{players}/by-external-id/{new['player']}", new["position"])
        except RuntimeError as error:
            print(error)
# A team is deleted after its schedules and players.
bulk("/teams/bulk", deletions("/teams/bulk", export["teams"]))
follow_changes()
