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
# The IDs of the records that were sent, by path and external ID.
sent = mirror.setdefault("sent", {})
# The revisions of this run's own changes, by ID.
own = {}


def save_mirror():
    """Replaces the file atomically, so that a crash cannot separate the records from the cursor."""
    Path("mirror.json.new").write_text(json.dumps(mirror))
    Path("mirror.json.new").replace(MIRROR)


def bulk(path, rows):
    """Creates, updates or deletes records, 100 per request, and prints the failed rows."""
    for start in range(0, len(rows), 100):
        answer = send("POST", path, {"rows": rows[start : start + 100]})
        failed = [row for row in answer["data"] if row["result"] == "failed"]
        print(f"{path} from row {start}:", json.dumps({**answer["summary"], "failed": failed}))
        ids = sent.setdefault(path, {})
        for row in answer["data"]:
            if "_id" in row:
                own[row["_id"]] = row["revision"]
            if "_id" in row and row["result"] != "deleted":
                ids[row["externalId"]] = row["_id"]
            elif row["result"] != "failed":
                ids.pop(row["externalId"], None)
        save_mirror()


def deletions(path, rows):
    """Returns rows that delete what was sent before and is not among these rows."""
    kept = {row["externalId"] for row in rows}
    gone = [external_id for external_id in sent.get(path, {}) if external_id not in kept]
    return [{"externalId": external_id, "delete": True} for external_id in gone]


def move_players(rosters, team_ids):
    """Moves players to the team in which the export has them, so that they keep their _id and their
    statistics."""
    missing = {
        (team_ids[roster["team"]], player["externalId"])
        for roster in rosters
        for player in roster["players"]
    }
    own_teams = set(team_ids.values())
    elsewhere = {}
    cursor = ""
    while cursor is not None:
        page = send("GET", f"/players?limit=100{cursor}")
        for player in page["data"]:
            key = (player["teamId"], player.get("externalId"))
            if key not in missing and player["teamId"] in own_teams:
                elsewhere.setdefault(player.get("externalId"), []).append(player)
            missing.discard(key)
        cursor = f"&cursor={page['nextCursor']}" if "nextCursor" in page else None
    for team_id, external_id in missing:
        if elsewhere.get(external_id):  # Otherwise a new player.
            player = elsewhere[external_id].pop()
            path = f"/teams/{player['teamId']}/players/{player['_id']}"
            # 404: the player has been moved, but the response was lost.
            moved = send("PATCH", path, {"teamId": team_id}, handled=404)
            if moved:
                own[moved["_id"]] = moved["revision"]


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
team_ids = sent.get("/teams/bulk", {})
games = [{**row, "teamId": team_ids.get(row["team"])} for row in export.get("schedules", [])]
for game in games:
    del game["team"]
bulk("/schedules/bulk", games + deletions("/schedules/bulk", games))
ready = [roster for roster in export["rosters"] if roster["team"] in team_ids]
move_players(ready, team_ids)
# Players whose new team failed stay in their old one.
failed = [roster for roster in export["rosters"] if roster["team"] not in team_ids]
waiting = [player for roster in failed for player in roster["players"]]
for roster in ready:
    players = f"/teams/{team_ids[roster['team']]}/players"
    path = f"{players}/bulk"
    bulk(path, roster["players"] + deletions(path, roster["players"] + waiting))
    for new in roster["newPositions"]:
        try:
            add_position(f"{players}/by-external-id/{new['player']}", new["position"])
        except RuntimeError as error:
            print(error)
# A team is deleted after its schedules and players.
for team in deletions("/teams/bulk", export["teams"]):
    path = f"/teams/{team_ids[team['externalId']]}/players/bulk"
    bulk(path, deletions(path, waiting))
bulk("/teams/bulk", deletions("/teams/bulk", export["teams"]))
follow_changes()
