#!/bin/sh
# restore.sh DUMP DATABASE restores a dump into a database that it creates, owned by OWNER (juicebar). An existing one is not touched. Uses
# libpq's variables: PGHOST, PGPORT, PGUSER, PGPASSWORD of a user who may create databases.
set -eu

if [ $# -ne 2 ]; then
  echo "restore.sh DUMP DATABASE: the dump, and the name of a new database" >&2
  exit 2
fi
owner=${OWNER:-juicebar}

createdb --owner="$owner" --template=template0 "$2"
if ! pg_restore --dbname="$2" --no-owner --role="$owner" --single-transaction "$1"; then
  dropdb "$2"
  exit 1
fi
