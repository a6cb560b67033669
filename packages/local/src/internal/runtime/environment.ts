import type { ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { LogLine } from '../journal/journal.js';
import { type RuntimeAnswer, RuntimeApi } from './api.js';
import { ANSWER_TOO_LARGE, EXITED, endError, type Run, timeoutError, trailerError } from './failures.js';
import type { Guardian } from './guardian.js';
import type { FailureReason, FunctionError } from './invoker.js';
import { readLines, readMessages, readTelemetry } from './logs.js';
import { MEMORY_INTERVAL_MS, residentMb } from './memory.js';
import { type ProcessInit, type StartOrder, spawnEnvironment, temporaryFolder } from './spawn.js';

/** What an environment is made with. */
export interface EnvironmentInit extends ProcessInit {
  readonly guardian: Guardian;
  readonly events: EnvironmentEvents;
}

export interface EnvironmentEvents {
  /** It asked for the next event. `left`: what the handler left running. */
  onFree(environment: Environment, left: readonly string[]): void;
  /** The process has ended. */
  onEnd(environment: Environment): void;
  /** A line of the function; `''` for one that belongs to no invocation yet. */
  onLog(environment: Environment, requestId: string, line: LogLine): void;
  /** A line of `gate.mjs` or of the shim that is about an invocation, or the inspection. */
  onMessage(environment: Environment, message: Readonly<Record<string, unknown>>): void;
}

export type RunResult =
  | { readonly kind: 'answer'; readonly text: string; readonly streamed: boolean }
  | { readonly kind: 'failed'; readonly reason: FailureReason; readonly error: FunctionError };

interface Pending {
  readonly run: Run;
  readonly resolve: (result: RunResult) => void;
  readonly timer: NodeJS.Timeout | undefined;
}

/** The longest wait for an answer to a question. */
const ANSWER_MS = 10_000;

/** Why `ready` rejects. */
export class InitFailure extends Error {
  constructor(
    readonly reason: 'init' | 'timeout' | 'stopped',
    readonly error: FunctionError,
  ) {
    super(error.errorMessage);
  }
}

/** One execution environment: a process with AWS's runtime client, and the server that it polls. */
export class Environment {
  readonly id: string;
  readonly startedAt = Date.now();
  /** Resolves when the function is loaded and asks for its first event. Rejects with an {@link InitFailure}. */
  readonly ready: Promise<void>;
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;
  state: 'init' | 'standby' | 'idle' | 'running' | 'dead' = 'init';
  invocations = 0;
  memoryMb = 0;
  initMs = 0;
  fromStandby = false;
  readonly #init: EnvironmentInit;
  readonly #api: RuntimeApi;
  readonly #child: ChildProcess;
  readonly #pending = new Map<string, Pending>();
  readonly #questions = new Map<number, (message: Readonly<Record<string, unknown>>) => void>();
  #settleReady: (failure?: InitFailure) => void = () => {};
  #isReady = false;
  #initError: FunctionError | undefined;
  #killedFor: FailureReason | undefined;
  #goodbye: { readonly type: string; readonly code?: number } | undefined;
  #lastRequest = '';
  #isFrozen = false;
  #question = 0;
  #reserved = 0;
  #memoryTimer: NodeJS.Timeout | undefined;
  #initStartedAt = Date.now();
  /** The most that it had while the last invocation ran. */
  peakMb = 0;

  static async start(init: EnvironmentInit): Promise<Environment> {
    let environment: Environment | undefined;
    const api = await RuntimeApi.start({
      onPoll: (left) => environment?.onPoll(left),
      onInitError: (error) => environment?.onInitError(error),
      onAnswer: (id, answer) => environment?.onAnswer(id, answer),
      onError: (id, error) => environment?.finish(id, { kind: 'failed', reason: 'handler', error }),
    });
    environment = new Environment(init, api);
    return environment;
  }

  private constructor(init: EnvironmentInit, api: RuntimeApi) {
    this.#init = init;
    this.#api = api;
    this.id = init.id;
    this.ready = new Promise((resolve, reject) => {
      this.#settleReady = (failure) => (failure ? reject(failure) : resolve());
    });
    this.ready.catch(() => {});
    this.#child = spawnEnvironment(init, api.address);
    if (this.#child.pid !== undefined) init.guardian.add(this.#child.pid);
    this.ended = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => {
        this.#onClose(code, signal);
        resolve();
      });
      this.#child.once('error', (error) => {
        this.#initError = { errorType: 'Runtime.StartError', errorMessage: error.message };
      });
    });
    this.#listen();
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get isDead(): boolean {
    return this.state === 'dead';
  }

  /** Whether it can take another event now. */
  get hasRoom(): boolean {
    return this.#isReady && !this.isDead && this.#killedFor === undefined && this.#api.polls > this.#reserved;
  }

  /** Whether it has answered everything and will ask for the next event at once. */
  get isFinishing(): boolean {
    return (
      this.#isReady && !this.isDead && this.#killedFor === undefined && this.running === 0 && this.#api.polls === 0
    );
  }

  /** Keeps a place for an event that `run` gets soon. */
  reserve(): void {
    this.#reserved += 1;
  }

  /** The id of the newest event that it got; `''` before the first. */
  get lastRequest(): string {
    return this.#lastRequest;
  }

  /** Events that it has, and those that it is about to get. */
  get running(): number {
    return this.#pending.size + this.#reserved;
  }

  /** Gives a standby its service. */
  begin(order: StartOrder): void {
    this.fromStandby = true;
    this.state = 'init';
    this.#initStartedAt = Date.now();
    this.#send({ start: order });
  }

  /** Runs one event to its end; never rejects. */
  run(run: Run): Promise<RunResult> {
    this.#reserved = Math.max(0, this.#reserved - 1);
    this.thaw();
    this.state = 'running';
    this.invocations += 1;
    this.peakMb = this.memoryMb;
    this.#lastRequest = run.requestId;
    this.#watchMemory();
    return new Promise((resolve) => {
      const hasLimit = this.#init.config.inspect === undefined;
      const timer = hasLimit ? setTimeout(() => this.#timeOut(run), run.timeoutMs) : undefined;
      this.#pending.set(run.requestId, { run, resolve, timer });
      const deadline = Date.now() + run.timeoutMs;
      this.#api.handOut(run.event, { ...run.headers, 'lambda-runtime-deadline-ms': String(deadline) });
    });
  }

  /** Asks what only the process knows; `undefined` when it cannot answer. */
  async ask(question: 'explain' | 'openapi', more: object = {}): Promise<unknown> {
    if (this.isDead || this.#init.config.managedInstances !== undefined) return undefined;
    this.thaw();
    this.#question += 1;
    const id = this.#question;
    const answered = new Promise<Readonly<Record<string, unknown>>>((resolve) => this.#questions.set(id, resolve));
    this.#send({ question, id, ...more });
    // A handler that never lets go of the process does not let it answer either.
    const late = new AbortController();
    const never = delay(ANSWER_MS, undefined, { signal: late.signal }).catch(() => undefined);
    const answer = await Promise.race([answered, never, this.ended.then(() => undefined)]);
    late.abort();
    this.#questions.delete(id);
    if (this.state === 'idle' && this.running === 0) this.freeze();
    return answer?.value;
  }

  /** Stops the process until `thaw`: nothing of it runs between two invocations. */
  freeze(): void {
    const { freeze, inspect, managedInstances } = this.#init.config;
    if (!freeze || inspect !== undefined || managedInstances !== undefined || this.isDead || this.#isFrozen) return;
    if (this.#questions.size > 0) return;
    this.#isFrozen = true;
    this.#signal('SIGSTOP');
  }

  thaw(): void {
    if (!this.#isFrozen) return;
    this.#isFrozen = false;
    this.#signal('SIGCONT');
  }

  /** Ends the process at once. What it runs fails for this reason. */
  kill(reason: FailureReason): void {
    this.#killedFor ??= reason;
    this.#signal('SIGKILL');
  }

  #listen(): void {
    const stdio = this.#child.stdio as readonly (Readable | null)[];
    const current = () => this.#lastRequest;
    const { events } = this.#init;
    readLines(stdio[1] as Readable, 'stdout', (line) => events.onLog(this, current(), line));
    readLines(stdio[2] as Readable, 'stderr', (line) => events.onLog(this, current(), line));
    readTelemetry(stdio[3] as Readable, (line, id) =>
      events.onLog(this, id === '' || id === '-' ? current() : id, line),
    );
    readMessages(stdio[5] as Readable, (message) => this.#onMessage(message));
    for (const stream of stdio) stream?.on('error', () => {});
  }

  #onMessage(message: Readonly<Record<string, unknown>>): void {
    if (message.type === 'answer') this.#questions.get(Number(message.id))?.(message);
    else if (message.type === 'exit' || message.type === 'idle') this.#goodbye = message as { type: string };
    else if (message.type === 'standby') this.state = 'standby';
    else this.#init.events.onMessage(this, message);
  }

  #send(message: object): void {
    const pipe = this.#child.stdio[4] as unknown as { write(text: string): void } | null;
    pipe?.write(`${JSON.stringify(message)}\n`);
  }

  /** The runtime is there for the next event. */
  onPoll(left: readonly string[]): void {
    if (!this.#isReady) {
      this.#isReady = true;
      this.initMs = Date.now() - this.#initStartedAt;
      this.#settleReady();
    }
    if (this.#pending.size === 0) {
      this.state = 'idle';
      clearInterval(this.#memoryTimer);
    }
    this.#init.events.onFree(this, left);
  }

  onInitError(error: FunctionError): void {
    this.#initError = error;
  }

  onAnswer(requestId: string, answer: RuntimeAnswer): void {
    if (answer.kind === 'stream') void this.#takeStream(requestId, answer);
    else if (answer.kind === 'whole') this.finish(requestId, { kind: 'answer', text: answer.text, streamed: false });
    else this.finish(requestId, { kind: 'failed', reason: 'size', error: ANSWER_TOO_LARGE });
  }

  /** Settles one event, once. */
  finish(requestId: string, result: RunResult): void {
    const pending = this.#pending.get(requestId);
    if (!pending) return;
    this.#pending.delete(requestId);
    clearTimeout(pending.timer);
    pending.resolve(result);
  }

  async #takeStream(requestId: string, { contentType, body }: { contentType: string; body: IncomingMessage }) {
    const sink = this.#pending.get(requestId)?.run.sink;
    const chunks: Buffer[] = [];
    sink?.head(contentType);
    const ended = new Promise<void>((resolve) => body.once('close', resolve));
    body.on('data', (chunk: Buffer) => (sink ? sink.chunk(chunk) : chunks.push(chunk)));
    body.on('error', () => {});
    await ended;
    // A process that was killed says itself why.
    if (!body.complete) return void this.ended.then(() => sink?.end(EXITED));
    const error = trailerError(body);
    sink?.end(error);
    if (error) this.finish(requestId, { kind: 'failed', reason: 'handler', error });
    else
      this.finish(requestId, {
        kind: 'answer',
        text: Buffer.concat(chunks).toString('utf8'),
        streamed: sink !== undefined,
      });
  }

  #timeOut(run: Run): void {
    const error = timeoutError(run);
    if (this.#init.config.managedInstances === undefined) this.kill('timeout');
    this.finish(run.requestId, { kind: 'failed', reason: 'timeout', error });
    run.sink?.end(error);
  }

  #watchMemory(): void {
    clearInterval(this.#memoryTimer);
    this.#memoryTimer = setInterval(() => void this.#measure(), MEMORY_INTERVAL_MS);
    this.#memoryTimer.unref();
  }

  async #measure(): Promise<void> {
    const mb = await residentMb(this.pid);
    if (mb === undefined || this.isDead) return;
    this.memoryMb = Math.round(mb);
    this.peakMb = Math.max(this.peakMb, this.memoryMb);
    if (mb > this.#init.config.memoryMb && this.#init.config.managedInstances === undefined) this.kill('memory');
  }

  #onClose(code: number | null, signal: string | null): void {
    const { events, guardian, config } = this.#init;
    const wasReady = this.#isReady;
    this.state = 'dead';
    clearInterval(this.#memoryTimer);
    if (this.#child.pid !== undefined) guardian.remove(this.#child.pid);
    const reason = this.#killedFor ?? (signal === 'SIGABRT' ? 'memory' : 'exit');
    for (const { run } of [...this.#pending.values()]) {
      const error = endError(run, { reason, code, signal, goodbye: this.#goodbye, memoryMb: config.memoryMb });
      run.sink?.end(error);
      this.finish(run.requestId, { kind: 'failed', reason, error });
    }
    if (!wasReady) this.#settleReady(this.#initFailure(code, signal));
    this.#api.close();
    rmSync(temporaryFolder(this.#init), { recursive: true, force: true });
    events.onEnd(this);
  }

  #initFailure(code: number | null, signal: string | null): InitFailure {
    if (this.#killedFor === 'timeout') {
      return new InitFailure('timeout', {
        errorType: 'Sandbox.Timedout',
        errorMessage: 'the init phase did not end in time',
      });
    }
    if (this.#killedFor)
      return new InitFailure('stopped', { errorType: 'Runtime.Stopped', errorMessage: 'the run has ended' });
    const how = code === null ? `signal: ${signal}` : `exit status ${code}`;
    const exited = { errorType: 'Runtime.ExitError', errorMessage: `Error: Runtime exited with error: ${how}` };
    return new InitFailure('init', this.#initError ?? exited);
  }

  #signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
    try {
      this.#child.kill(signal);
    } catch {
      // It has ended already.
    }
  }
}
