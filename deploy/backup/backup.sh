#!/bin/sh
# Dumps the market's database into a file of its own in BACKUP_DIR, and deletes dumps older than KEEP_DAYS. libpq's variables select the
# database: PGDATABASE (juicebar), PGHOST, PGPORT, PGUSER, PGPASSWORD. A dump contains the secrets of webhooks: protect it like the
# database.
set -eu
umask 077

folder=${BACKUP_DIR:-/var/lib/juicebar-backup}
export PGDATABASE="${PGDATABASE:-juicebar}"
dump="$folder/$PGDATABASE-$(date -u +%Y%m%dT%H%M%SZ).dump"

pg_dump --format=custom --file="$dump.part"
sync "$dump.part"
mv "$dump.part" "$dump"
find "$folder" -maxdepth 1 -name "$PGDATABASE-*.dump*" -mtime "+${KEEP_DAYS:-30}" -delete
echo "$dump"
