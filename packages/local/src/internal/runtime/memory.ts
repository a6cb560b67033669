import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';

const PAGE_KB = 4;

/** Resident megabytes of a process; `undefined` if it is gone or cannot be read. */
async function residentMb(pid: number): Promise<number | undefined> {
  if (process.platform === 'linux') return fromProc(pid);
  return process.platform === 'darwin' ? fromPs(pid) : undefined;
}

/** Interval at which the size of a running environment is read: `/proc` is cheap, `ps` is a process. */
const MEMORY_INTERVAL_MS = process.platform === 'linux' ? 50 : 500;

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

/** Reads the size of a process repeatedly while it runs an event. */
export class MemoryWatch {
  /** Resident megabytes at the last measurement. */
  mb = 0;
  /** The maximum since the last start. */
  peakMb = 0;
  readonly #pid: () => number;
  readonly #onMeasured: (mb: number) => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(pid: () => number, onMeasured: (mb: number) => void) {
    this.#pid = pid;
    this.#onMeasured = onMeasured;
  }

  start(): void {
    this.stop();
    this.peakMb = this.mb;
    this.#timer = setInterval(() => void this.#measure(), MEMORY_INTERVAL_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #measure(): Promise<void> {
    const mb = await residentMb(this.#pid());
    if (mb === undefined) return;
    this.mb = Math.round(mb);
    this.peakMb = Math.max(this.peakMb, this.mb);
    this.#onMeasured(mb);
  }
}
