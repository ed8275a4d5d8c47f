#!/usr/bin/env bash
# Restores the newest backup into an empty database, counts its records and removes it again:
# bash deploy/backup/restore-test.sh
#
# BACKUP_FOLDER  as for back-up.sh
# DECRYPT        command that decrypts standard input, such as `age --decrypt --identity <file>`, if the backup is encrypted
# RESTORE        command that restores standard input and prints the number of records; default: in Docker Compose. With
#                mongod, mongorestore and mongosh on this machine: `bash deploy/backup/scratch-restore.sh`
#
# The age of the last success is in `metrics/restore-test.prom` (docs/operators/alerts.md#restoretestold).
set -euo pipefail
folder=${BACKUP_FOLDER:-backups}
restore=${RESTORE:-docker compose run --rm -T scratch-restore}

mkdir -p "$folder/metrics"
newest=$(find "$folder" -maxdepth 1 -type f -name '*.archive.gz*' | sort | tail -n 1)
[ -n "$newest" ] || { echo "There is no backup in $folder." >&2; exit 1; }
decrypt='cat'
case "$newest" in
  *.encrypted) decrypt=${DECRYPT:?the backup is encrypted: set the command that decrypts it} ;;
esac

began=$(date +%s)
bash -c "$decrypt" <"$newest" | bash -c "$restore"
echo "Restored $newest in $(($(date +%s) - began)) s"

metric=$(mktemp "$folder/metrics/.restore-test-XXXXXX")
printf 'restore_test_success_timestamp_seconds %s\n' "$began" >"$metric"
chmod 644 "$metric"
mv "$metric" "$folder/metrics/restore-test.prom"
