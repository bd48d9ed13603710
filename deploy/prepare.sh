#!/bin/sh
# Creates the role and the database juicebar in this machine's PostgreSQL, and the settings of the servers with its password and three new
# secrets. Existing settings are not changed, and neither is the database in that case: with a different REFERENCE_SECRET, earlier payments
# would not be recognised after a restore. Takes SETTINGS and PSQL.
set -eu
umask 077

settings=${SETTINGS:-/etc/juicebar/juicebar.env}
psql=${PSQL:-runuser -u postgres -- psql}
example=$(cd "$(dirname "$0")" && pwd)/juicebar.env.example

if [ -e "$settings" ]; then
  echo "$settings exists: nothing is changed."
  exit 0
fi

# Everyone may enter the folder, because a catalogue may be in it; only root can read the settings. Secrets go through standard input,
# because command lines can be read by every account.
install -d "$(dirname "$settings")"
trap 'rm -f "$settings.new"' EXIT
password=$(openssl rand -hex 24)
sed -f /dev/stdin "$example" > "$settings.new" << END
s/DATABASE_PASSWORD/$password/
s/^JWT_SECRET=\$/&$(openssl rand -hex 32)/
s/^STUDIO_API_KEY=\$/&$(openssl rand -hex 32)/
s/^REFERENCE_SECRET=\$/&$(openssl rand -hex 32)/
END
cd /
$psql --quiet --no-psqlrc --set=ON_ERROR_STOP=on << END
create role juicebar login password '$password';
create database juicebar owner juicebar;
END
mv "$settings.new" "$settings"
echo "Created the database juicebar, and $settings."
