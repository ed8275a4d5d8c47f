#!/usr/bin/env bash
# Makes a backup: bash deploy/backup/back-up.sh
#
# BACKUP_FOLDER   where backups are kept, on another disk than the database; default: backups
# DUMP            command that writes a dump to standard output; default: mongodump in Docker Compose, as the user `backup`.
#                 Elsewhere, `mongodump --config=<file> --oplog --archive --gzip`, where the file has a line `uri: mongodb://…`
# ENCRYPT         command that encrypts standard input, such as `age --recipient <public key>`, whose private key is kept
#                 elsewhere. Without it the dump is as readable as the database, and the secrets are not saved
# SETTINGS        files and folders with settings and secrets, saved only if ENCRYPT is set; default: those of Docker Compose
# KEEP_DAYS       after which a backup is deleted, once there is a newer one; default: 14
#
# The age of the last backup is in `metrics/backup.prom`, which node_exporter reads (docs/operators/alerts.md#backupold).
set -euo pipefail
folder=${BACKUP_FOLDER:-backups}
dump=${DUMP:-docker compose exec -T mongodb-1 bash -c 'mongodump --config <(sed "s/^/uri: /" /run/secrets/mongodb-backup) --oplog --archive --gzip'}
encrypt=${ENCRYPT:-}
settings=${SETTINGS:-.env secrets deploy docker-compose*}

umask 077
mkdir -p "$folder/metrics"
chmod 755 "$folder/metrics" # node_exporter reads it as another user
partial=$(mktemp -d "$folder/.partial-XXXXXX")
trap 'rm -rf "$partial"' EXIT

# A backup has what was stored until it ends, so its age counts from the beginning.
began=$(date +%s)
name=$(date -u -d "@$began" +%Y-%m-%dT%H-%M-%SZ)
suffix=${encrypt:+.encrypted}

bash -o pipefail -c "$dump" | bash -c "${encrypt:-cat}" >"$partial/dump"
[ -s "$partial/dump" ] || { echo 'The dump is empty.' >&2; exit 1; }
if [ -n "$encrypt" ]; then
  # Patterns, which the shell expands.
  # shellcheck disable=SC2086
  tar --create --gzip $settings | bash -c "$encrypt" >"$partial/settings"
  mv "$partial/settings" "$folder/$name.settings.tar.gz$suffix"
fi
# Renamed only when it is complete and on the disk.
sync "$partial/dump"
mv "$partial/dump" "$folder/$name.archive.gz$suffix"

bytes=$(wc -c <"$folder/$name.archive.gz$suffix")
printf 'backup_success_timestamp_seconds %s\nbackup_size_bytes %s\n' "$began" "$bytes" >"$partial/backup.prom"
chmod 644 "$partial/backup.prom"
mv "$partial/backup.prom" "$folder/metrics/backup.prom"

find "$folder" -maxdepth 1 -type f -name '*Z.*' -mtime "+${KEEP_DAYS:-14}" -delete
echo "Backup $name: $bytes bytes"
