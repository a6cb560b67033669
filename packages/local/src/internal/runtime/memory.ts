import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';

const PAGE_KB = 4;

/** Resident megabytes of a process; `undefined` when it is gone or cannot be asked. */
export async function residentMb(pid: number): Promise<number | undefined> {
  if (process.platform === 'linux') return fromProc(pid);
  return process.platform === 'darwin' ? fromPs(pid) : undefined;
}

/** How often the size of a running environment is read: `/proc` is cheap, `ps` is a process. */
export const MEMORY_INTERVAL_MS = process.platform === 'linux' ? 50 : 500;

async function fromProc(pid: number): Promise<number | undefined> {
  try {
    const [, pages = '0'] = (await readFile(`/proc/${pid}/statm`, 'utf8')).split(' ');
    return (Number(pages) * PAGE_KB) / 1024;
  } catch {
    return undefined;
  }
}

function fromPs(pid: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    execFile('ps', ['-o', 'rss=', '-p', String(pid)], { timeout: 2000 }, (error, stdout) =>
      resolve(error ? undefined : Number(stdout.trim()) / 1024),
    );
  });
}
