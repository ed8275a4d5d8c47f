"""Synchronizes teams and players, for example every night; copy and adapt it. Every step can be repeated: if a run is
interrupted, start it again.

    API=http://localhost:3000/v1/public-api API_KEY=… python3 nightly_sync.py export.json mirror.json

export.json has the records of your system, mirror.json becomes a copy of the organization:

    {"teams": [{"team": {"externalId": "t-7", "name": "Owls", "season": "…"},
                "players": [{"externalId": "p-1", "name": "Jordan Lee"}],
                "edits": [{"player": "p-1", "field": "jerseyNumber", "from": "07", "to": "08"}]}]}

Rows are bodies of POST, with your own ID; an update keeps the fields that a row does not have. Edits are changes of
fields that both systems edit, and that are therefore in no row.
Requires Python 3.9 or later, and no packages.
"""

import http.client
import json
import os
import sys
import time
import urllib.error
import urllib.request
from collections import Counter

API = os.environ.get("API", "http://localhost:3000/v1/public-api")
HEADERS = {"Authorization": "Bearer " + os.environ["API_KEY"], "Content-Type": "application/json"}


def send(method, path, body=None, headers=None):
    """Returns the status and body of an answer. Waits and repeats if the answer says so or the connection is lost."""
    data = None if body is None else json.dumps(body).encode()
    for attempt in range(1, 11):
        request = urllib.request.Request(API + path, data, {**HEADERS, **(headers or {})}, method=method)
        try:
            try:
                response = urllib.request.urlopen(request, timeout=30)
            except urllib.error.HTTPError as error:
                response = error  # also an answer
            with response:
                answer = response.status, json.load(response)
            # Only answers to repeat have this header: 429, 503, and 409 with error 40902.
            seconds = response.headers["Retry-After"]
            if seconds is None:
                return answer
        except (OSError, http.client.HTTPException, ValueError) as error:
            # No complete answer: the request may have been applied or not. Every request here can be repeated.
            seconds, answer = 2, error
        time.sleep(int(seconds))
    raise RuntimeError(f"{method} {path} failed {attempt} times: {answer}")


def bulk_upsert(path, rows, totals):
    """Creates or updates records, 100 per request. Returns IDs by externalId, and reports rows that are refused."""
    ids = {}
    for start in range(0, len(rows), 100):
        status, body = send("POST", path, {"rows": rows[start : start + 100]})
        if status != 200:
            raise RuntimeError(f"POST {path}: {body}")
        for row in body["data"]:
            if row["result"] == "refused":
                index, message = start + row["index"], row["error"]["message"]
                print(f"{path}: row {index} ({row.get('externalId')}): {message}", file=sys.stderr)
            else:
                ids[row["externalId"]] = row["_id"]
        totals.update(body["summary"])
    return ids


def apply_edit(team_id, edit):
    """Changes a field that is also edited in the other system. Returns the reason if a person has to decide."""
    players, field = f"/teams/{team_id}/players", edit["field"]
    while True:
        status, body = send("GET", f"{players}/by-external-id/{edit['player']}")
        if status != 200:
            return body
        record = body["data"]
        value = record.get(field)
        if value == edit["to"]:
            return None  # by an earlier run
        if value != edit["from"]:
            return f"{field} is {value}"
        if_match = {"If-Match": f'"{record["revision"]}"'}
        status, body = send("PATCH", f"{players}/{record['_id']}", {field: edit["to"]}, if_match)
        if status == 200:
            return None
        # 412: another change came first. Read again, because it may have changed the same field.
        if status != 412:
            return body


def follow_changes(mirror_file):
    """Brings the mirror up to date, from where the last run ended."""
    mirror = {"cursor": None, "records": {}}
    if os.path.exists(mirror_file):
        with open(mirror_file, encoding="utf-8") as file:
            mirror = json.load(file)
    has_more = True
    while has_more:
        cursor = f"&cursor={mirror['cursor']}" if mirror["cursor"] else ""
        status, body = send("GET", f"/changes?kinds=season,team,player,schedule{cursor}")
        if status == 410:
            # The last run was more than 30 days ago, and deletions since then may be unknown: build the mirror anew.
            mirror = {"cursor": None, "records": {}}
            continue
        if status != 200:
            raise RuntimeError(f"GET /changes: {body}")
        for change in body["data"]:
            key = f"{change['kind']} {change['id']}"
            known = mirror["records"].get(key, {})
            if change["deleted"]:
                mirror["records"].pop(key, None)
            # A change can arrive more than once. Seasons have no revision.
            elif "revision" not in change or change["revision"] > known.get("revision", 0):
                mirror["records"][key] = change["record"]
        mirror["cursor"], has_more = body["nextCursor"], body["hasMore"]
        # The cursor and its records are in one file, and it is replaced at once: a crash cannot separate them.
        with open(mirror_file + ".new", "w", encoding="utf-8") as file:
            json.dump(mirror, file)
        os.replace(mirror_file + ".new", mirror_file)


def main(export_file, mirror_file):
    with open(export_file, encoding="utf-8") as file:
        teams = json.load(file)["teams"]
    totals = Counter()
    team_ids = bulk_upsert("/teams/bulk", [entry["team"] for entry in teams], totals)
    for entry in teams:
        team_id = team_ids.get(entry["team"]["externalId"])
        if team_id is None:
            continue  # refused and reported
        bulk_upsert(f"/teams/{team_id}/players/bulk", entry["players"], totals)
        for edit in entry.get("edits", []):
            reason = apply_edit(team_id, edit)
            if reason is not None:
                print(f"{edit['player']} was not changed: {reason}", file=sys.stderr)
    follow_changes(mirror_file)
    print(json.dumps(totals))


main(*sys.argv[1:])
