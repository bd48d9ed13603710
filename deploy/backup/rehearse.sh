#!/bin/sh
# rehearse.sh [DUMP] proves that a dump, by default the newest in BACKUP_DIR, can be restored and that the money in it adds up: it restores
# a copy, audits every payment in it on chain, and drops it. It needs the settings of a server (except DATABASE_URL) and libpq's variables,
# like restore.sh. Its exit codes are the audit's: 0 everything adds up, 1 something does not, 2 not everything could be checked.
set -eu

deploy=$(cd "$(dirname "$0")/.." && pwd)
newest() {
  find "${BACKUP_DIR:-/var/lib/juicebar-backup}" -maxdepth 1 -name '*.dump' | sort | tail -n 1
}
dump=${1:-$(newest)}
if [ -z "$dump" ]; then
  echo "There is no dump to rehearse with." >&2
  exit 2
fi

copy=juicebar_rehearsal_$$
trap 'dropdb --if-exists --force "$copy"' EXIT
"$deploy/backup/restore.sh" "$dump" "$copy"
echo "$dump was restored."

# Like libpq: services have a USER, but another person's shell may have a different one.
PGUSER=${PGUSER:-$(id -un)}
DATABASE_URL="postgresql:///$copy?host=${PGHOST:-/var/run/postgresql}&port=${PGPORT:-5432}"
export PGUSER DATABASE_URL
unset DATABASE_READ_URL
${AUDIT:-node "$deploy/../start.mjs" audit --copy}
