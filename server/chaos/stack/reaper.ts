import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Socket } from 'node:net'

/** Ends the processes of a folder, when it is told to or when this process ends, however that happens. */
export interface Reaper {
  /** Resolves when none is left. */
  reap(): Promise<void>
}

/**
 * Its standard input is a pipe from our process, which closes when our process dies. Everything that works in the folder names it in
 * its command line; what PostgreSQL starts does not, and would stay suspended for ever if it was frozen. Killing is repeated, since
 * Patroni may be starting something.
 */
const SCRIPT = `
trap '' HUP INT TERM
read -r _
for round in 1 2 3 4 5 6 7 8 9 10; do
  set -- /proc/[0-9]*/cmdline
  found=$(grep -laF "$REAPED_FOLDER" "$@")
  [ "$found" ] || break
  for path in $found; do
    pid=\${path#/proc/}
    pid=\${pid%/cmdline}
    kill -KILL "$pid" $(cat "/proc/$pid/task/$pid/children")
  done
  sleep 0.1
done 2>/dev/null
[ "$DELETES" ] && rm -rf "$REAPED_FOLDER"
`

/**
 * @param folder whose name no other folder has as a part
 * @param options.deletes whether the folder is deleted as well
 */
export async function startReaper(folder: string, { deletes }: { deletes: boolean }): Promise<Reaper> {
  const child: ChildProcess = spawn('/bin/sh', ['-c', SCRIPT], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', REAPED_FOLDER: folder, DELETES: deletes ? 'yes' : '' },
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  await once(child, 'spawn')
  child.unref()
  if (child.stdin instanceof Socket) child.stdin.unref()
  const ended = once(child, 'exit')
  return {
    reap: async () => {
      child.ref()
      child.stdin?.end()
      await ended
    },
  }
}
