#!/usr/bin/env bash
# Writes the secrets of MongoDB that docker-compose.yml expects: bash deploy/mongodb/create-secrets.sh [folder]
#
# mongodb-key      with which the members recognize each other
# mongodb-root     URI of the administrator
# mongodb-api      URI of the servers
# mongodb-backup   URI with which backups are made
# mongodb-monitor  URI of the exporter, as a variable
#
# Existing files are kept, because the database knows their passwords. The health check of the members creates the users.
set -euo pipefail
folder=${1:-secrets}
members=mongodb-1:27017,mongodb-2:27017,mongodb-3:27017

# Only the owner can enter the folder; in it, the users of the containers read the files.
umask 077
mkdir -p "$folder"

# Writes the output of a command to a secret, unless it exists: secret <name> <command> …
secret() {
  [ -e "$folder/$1" ] || { "${@:2}" >"$folder/$1" && chmod 444 "$folder/$1"; }
}

# Prints the URI of a user with a new password: uri <user> <database> <more parameters>
uri() {
  printf 'mongodb://%s:%s@%s/%s?replicaSet=rs0%s\n' "$1" "$(openssl rand -hex 24)" "$members" "$2" "$3"
}

secret mongodb-key openssl rand -base64 756
secret mongodb-root uri root flagfootball '&authSource=admin'
secret mongodb-api uri api flagfootball ''
secret mongodb-backup uri backup '' '&authSource=admin'
monitor=$(uri monitor '' '&authSource=admin')
secret mongodb-monitor printf 'MONGODB_URI=%s\n' "$monitor"
