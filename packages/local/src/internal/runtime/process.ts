import type { ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { LogLine } from '../journal/journal.js';
import type { Guardian } from './guardian.js';
import { readLines, readMessages, readTelemetry } from './logs.js';
import { type ApiAddress, type ProcessInit, spawnEnvironment, temporaryFolder } from './spawn.js';

/** Maximum wait for an answer to a question, in milliseconds. */
const ANSWER_MS = 10_000;

/** A question that `gate.mjs` answers. */
export type Question = 'explain' | 'openapi' | 'contract';

/** A message of `gate.mjs` or the shim, one object per line. */
export type ProcessMessage = Readonly<Record<string, unknown>>;

/** Receives the events of a process. */
export interface ProcessListener {
  /** A written line; the request id is `''` for a line outside an invocation. */
  onLine(line: LogLine, requestId: string): void;
  onMessage(message: ProcessMessage): void;
  /** It could not be started. */
  onStartError(error: Error): void;
  onClose(code: number | null, signal: string | null): void;
}

/** The process of an environment: its pipes, questions to it, and its frozen state. */
export class EnvironmentProcess {
  /** Resolves when it has ended, after the listener was notified. */
  readonly ended: Promise<void>;
  readonly #init: ProcessInit;
  readonly #child: ChildProcess;
  readonly #questions = new Map<number, (message: ProcessMessage) => void>();
  #asked = 0;
  #isFrozen = false;
  #hasEnded = false;

  /** @param api the Runtime API of the process */
  constructor(init: ProcessInit & { readonly guardian: Guardian }, api: ApiAddress, listener: ProcessListener) {
    this.#init = init;
    this.#child = spawnEnvironment(init, api);
    if (this.#child.pid !== undefined) init.guardian.add(this.#child.pid);
    this.ended = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => {
        this.#hasEnded = true;
        if (this.#child.pid !== undefined) init.guardian.remove(this.#child.pid);
        rmSync(temporaryFolder(init), { recursive: true, force: true });
        listener.onClose(code, signal);
        resolve();
      });
    });
    this.#child.once('error', (error) => listener.onStartError(error));
    this.#listen(listener);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Writes an order or a question. */
  send(message: object): void {
    const pipe = this.#child.stdio[4] as unknown as { write(text: string): void } | null;
    pipe?.write(`${JSON.stringify(message)}\n`);
  }

  /** Sends a question to the process; `undefined` if it cannot answer. */
  async ask(question: Question, more: object): Promise<unknown> {
    this.thaw();
    this.#asked += 1;
    const id = this.#asked;
    const answered = new Promise<ProcessMessage>((resolve) => this.#questions.set(id, resolve));
    this.send({ question, id, ...more });
    // A handler that blocks the process also blocks the answer.
    const late = new AbortController();
    const never = delay(ANSWER_MS, undefined, { signal: late.signal }).catch(() => undefined);
    const answer = await Promise.race([answered, never, this.ended.then(() => undefined)]);
    late.abort();
    this.#questions.delete(id);
    return answer?.value;
  }

  /** Freezes the process until `thaw`: it does not run between two invocations. */
  freeze(): void {
    const { freeze, inspect, managedInstances } = this.#init.config;
    if (!freeze || inspect !== undefined || managedInstances !== undefined || this.#hasEnded || this.#isFrozen) return;
    if (this.#questions.size > 0) return;
    this.#isFrozen = true;
    this.#signal('SIGSTOP');
  }

  thaw(): void {
    if (!this.#isFrozen) return;
    this.#isFrozen = false;
    this.#signal('SIGCONT');
  }

  /** Kills the process immediately. */
  kill(): void {
    this.#signal('SIGKILL');
  }

  #listen(listener: ProcessListener): void {
    const stdio = this.#child.stdio as readonly (Readable | null)[];
    readLines(stdio[1] as Readable, 'stdout', (line) => listener.onLine(line, ''));
    readLines(stdio[2] as Readable, 'stderr', (line) => listener.onLine(line, ''));
    readTelemetry(stdio[3] as Readable, (line, id) => listener.onLine(line, id === '-' ? '' : id));
    readMessages(stdio[5] as Readable, (message) => {
      if (message.type === 'answer') this.#questions.get(Number(message.id))?.(message);
      else listener.onMessage(message);
    });
    for (const stream of stdio) stream?.on('error', () => {});
  }

  #signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
    try {
      this.#child.kill(signal);
    } catch {
      // It has ended already.
    }
  }
}
