#!/bin/sh
# Tells nginx, which cannot check this itself, which servers are ready for calls; if none is, which are live, because they serve the last
# known market. A draining server gets no new calls, and finishes those it has. Takes SERVERS, SERVERS_FILE and RELOAD.
set -eu

servers=${SERVERS:-127.0.0.1:3001 127.0.0.1:3002}
file=${SERVERS_FILE:-/etc/nginx/juicebar-servers.conf}
reload=${RELOAD:-systemctl reload nginx}

answering() {
  for server in $servers; do
    if curl --fail --silent --output /dev/null --max-time 2 "http://$server$1"; then
      echo "server $server max_fails=1 fail_timeout=2s;"
    fi
  done
}

while :; do
  wanted=$(answering /health/ready)
  [ -n "$wanted" ] || wanted=$(answering /health/live)
  if [ -n "$wanted" ] && [ "$wanted" != "$(cat "$file" 2> /dev/null)" ]; then
    echo "$wanted" > "$file.new"
    mv "$file.new" "$file"
    $reload || echo "nginx could not be reloaded" >&2
  fi
  sleep 2
done
