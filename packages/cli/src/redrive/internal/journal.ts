import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { fromJson, membersOf, stringOf } from '@sallyport/core/internal';
import { invalidUsage } from '../../internal/errors.js';

/**
 * The journal of the redrives of a queue: one JSON object a line, with ids and times, without bodies. Each line is on disk before the next step, so a
 * run that was killed is continued where it stopped:
 *
 * - `sending`: the message is about to be sent. Without `sent`, it may have been accepted: it is sent again. While a function runs, the line is
 *   repeated with the time until which the message is hidden.
 * - `sent`: the message was accepted elsewhere. Without `deleted`, it is only deleted.
 */
export class Journal {
  /** True if the last run did not end. */
  readonly isResumed: boolean;
  readonly #file: number;
  readonly #lock: string;
  /** By id of the dead letter: accepted elsewhere. */
  readonly #sent = new Set<string>();
  /** The end of the time for which the message is hidden, for a function; else `''`. */
  readonly #sending = new Map<string, string>();
  /** The ids that messages received when they were sent, in this run. */
  readonly #born = new Set<string>();

  /** @throws FrameworkError `cli.usage` if another redrive of the queue is running */
  constructor(path: string, queue: string, now: Date) {
    mkdirSync(dirname(path), { recursive: true });
    this.#lock = `${path}.lock`;
    lock(this.#lock);
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    this.isResumed = this.#read(text);
    this.#file = openSync(path, 'a', 0o600);
    // A killed run can leave a part of a line.
    if (text !== '' && !text.endsWith('\n')) writeSync(this.#file, '\n');
    if (!this.isResumed) this.#write({ type: 'run', queue, at: now.toISOString() });
  }

  #read(text: string): boolean {
    let isOpen = false;
    for (const line of text.split('\n')) {
      const { type, id, newId, hiddenUntil } = membersOf(fromJson(line));
      const [given, born] = [stringOf(id), stringOf(newId)];
      if (type === 'run' || type === 'end') {
        isOpen = type === 'run';
        this.#born.clear();
        this.#sending.clear();
      }
      if (type === 'sending') this.#sending.set(given, stringOf(hiddenUntil));
      if (type === 'failed') this.#sending.delete(given);
      if (type === 'sent') this.#sent.add(given);
      if (type === 'sent' && born !== '') this.#born.add(born);
    }
    return isOpen;
  }

  /** True if the message was accepted elsewhere: it must only be deleted. */
  wasSent(id: string): boolean {
    return this.#sent.has(id);
  }

  /** The messages whose function may have been running when the last run was killed, and the end of the time for which they are hidden. */
  interrupted(): readonly { readonly id: string; readonly hiddenUntil: string }[] {
    return [...this.#sending].flatMap(([id, hiddenUntil]) =>
      hiddenUntil === '' || this.#sent.has(id) ? [] : [{ id, hiddenUntil }],
    );
  }

  /** True if this run sent the message, and it has returned. */
  hasReturned(id: string): boolean {
    return this.#born.has(id);
  }

  /** @param hiddenUntil for a message to a function: the time until which other receivers do not see it */
  sending(id: string, hiddenUntil?: Date): void {
    this.#write({ type: 'sending', id, ...(hiddenUntil && { hiddenUntil: hiddenUntil.toISOString() }) });
  }

  sent(id: string, newId: string | undefined): void {
    this.#write({ type: 'sent', id, ...(newId !== undefined && { newId }) });
    this.#sent.add(id);
    if (newId !== undefined) this.#born.add(newId);
  }

  deleted(id: string): void {
    this.#write({ type: 'deleted', id });
  }

  failed(id: string, reason: string): void {
    this.#write({ type: 'failed', id, reason });
  }

  /** Marks the run as complete, so that the next run starts again. */
  end(now: Date): void {
    this.#write({ type: 'end', at: now.toISOString() });
  }

  close(): void {
    closeSync(this.#file);
    rmSync(this.#lock, { force: true });
  }

  #write(line: object): void {
    writeSync(this.#file, `${JSON.stringify(line)}\n`);
    fsyncSync(this.#file);
  }
}

/** Two redrives of a queue would send each message twice. */
function lock(path: string): void {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const pid = Number(readFileSync(path, 'utf8'));
    if (pid !== process.pid && isAlive(pid)) {
      throw invalidUsage(`another redrive of this queue is running (process ${pid}): wait until it ends`);
    }
    writeFileSync(path, String(process.pid), { mode: 0o600 });
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid < 1) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
