#!/usr/bin/env bash
# Restores the backup on standard input into a mongod of its own, which only this machine can reach, prints the number of
# records of each collection, and removes it. Fails if a record cannot be restored, or if there is no user.
#
# Needs mongod, mongorestore and mongosh, and in TMPDIR as much space as the database.
set -euo pipefail
database=${DATABASE:-flagfootball}
port=${PORT:-27999}

folder=$(mktemp -d)
mongod=
# Waits for mongod, because it still writes while it ends.
trap 'if [ -n "$mongod" ]; then kill -9 "$mongod"; wait "$mongod" || true; fi 2>/dev/null; rm -rf "$folder"' EXIT
mkdir "$folder/data"
mongod --dbpath "$folder/data" --bind_ip 127.0.0.1 --port "$port" --nounixsocket --wiredTigerCacheSizeGB 0.25 >"$folder/mongod.log" 2>&1 &
mongod=$!

until mongosh --quiet --norc --port "$port" --eval 'db.hello().ok' >/dev/null 2>&1; do
  kill -0 "$mongod" 2>/dev/null || { tail -n 5 "$folder/mongod.log" >&2; exit 1; }
  sleep 1
done
# Stops at the first record that cannot be restored.
mongorestore --port "$port" --archive --gzip --oplogReplay --stopOnError --quiet
mongosh --quiet --norc --port "$port" "$database" --eval '
  const counts = db.getCollectionNames().sort().map((name) => [name, db[name].countDocuments()]);
  for (const [name, count] of counts) print(name, count);
  if (db.users.countDocuments() === 0) { print("The backup has no users."); quit(1); }'
