import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';

/** Reads `+ <pid>` and `- <pid>`. At end of file, when the host is gone, it kills the remaining processes. */
const SCRIPT = `p=" "
while read -r op pid; do
  case "$op$p" in
    +*) p="$p$pid " ;;
    *" $pid "*) p="\${p%% $pid *} \${p#* $pid }" ;;
  esac
done
for pid in $p; do kill -9 "$pid" 2>/dev/null; done`;

/** Kills the processes of a run if the host is gone: a frozen process would exist forever. */
export interface Guardian {
  add(pid: number): void;
  remove(pid: number): void;
  stop(): void;
}

/** Starts the guardian, detached. On Windows, where no process is frozen, it does nothing. */
export function startGuardian(): Guardian {
  if (process.platform === 'win32') return { add() {}, remove() {}, stop() {} };
  const shell: ChildProcess = spawn('/bin/sh', ['-c', SCRIPT], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  shell.on('error', () => {});
  shell.stdin?.on('error', () => {});
  shell.unref();
  // The pipe is open as long as this process lives, and does not keep it alive.
  (shell.stdin as Socket | null)?.unref();
  const write = (line: string) => void shell.stdin?.write(`${line}\n`);
  return {
    add: (pid) => write(`+ ${pid}`),
    remove: (pid) => write(`- ${pid}`),
    stop: () => void shell.stdin?.end(),
  };
}
