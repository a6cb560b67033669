import type { IncomingMessage } from 'node:http';
import type { LogLine } from '../journal/journal.js';
import { RuntimeApi } from './api.js';
import {
  ANSWER_TOO_LARGE,
  EXITED,
  endError,
  type Goodbye,
  type InitFailure,
  initFailure,
  type Run,
  timeoutError,
  trailerError,
} from './failures.js';
import { CpuWait, FairTimer } from './fair-timer.js';
import type { Guardian } from './guardian.js';
import type { FailureReason, FunctionError } from './invoker.js';
import { MemoryWatch } from './memory.js';
import { EnvironmentProcess, type ProcessMessage, type Question } from './process.js';
import { readError, readReply } from './reply.js';
import type { ProcessInit, StartOrder } from './spawn.js';

/** Options of an {@link Environment}. */
export interface EnvironmentInit extends ProcessInit {
  readonly guardian: Guardian;
  readonly events: EnvironmentEvents;
}

export interface EnvironmentEvents {
  /** The environment requests the next event. `left`: resources that the handler did not close. */
  onFree(environment: Environment, left: readonly string[]): void;
  /** The process has ended. */
  onEnd(environment: Environment): void;
  /** A line of the function; the request id is `''` for a line outside an invocation. */
  onLog(environment: Environment, requestId: string, line: LogLine): void;
  /** A message of `gate.mjs` or of the shim about an invocation, or the inspection. */
  onMessage(environment: Environment, message: ProcessMessage): void;
}

const STDERR_LINES = 40;
/** The line that V8 writes before it aborts: https://github.com/nodejs/node/blob/main/src/api/environment.cc. */
const OUT_OF_MEMORY = /JavaScript heap out of memory/;

export type RunResult =
  | { readonly kind: 'answer'; readonly text: string; readonly streamed: boolean }
  | { readonly kind: 'failed'; readonly reason: FailureReason; readonly error: FunctionError };

interface Pending {
  readonly run: Run;
  readonly resolve: (result: RunResult) => void;
  /** `undefined` with a debugger. */
  readonly limit: { readonly timer: FairTimer; readonly wait: CpuWait } | undefined;
}

/** One execution environment: a process with AWS's runtime client, and the Runtime API server that it polls. */
export class Environment {
  readonly id: string;
  /** Resolves when the function is loaded and requests its first event. Rejects with an {@link InitFailure}. */
  readonly ready: Promise<void>;
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;
  state: 'init' | 'standby' | 'idle' | 'running' | 'dead' = 'init';
  invocations = 0;
  initMs = 0;
  fromStandby = false;
  readonly #init: EnvironmentInit;
  readonly #api: RuntimeApi;
  readonly #process: EnvironmentProcess;
  readonly #memory: MemoryWatch;
  readonly #pending = new Map<string, Pending>();
  #settleReady: (failure?: InitFailure) => void = () => {};
  #isReady = false;
  #initError: FunctionError | undefined;
  #killedFor: FailureReason | undefined;
  #goodbye: Goodbye | undefined;
  /** The last lines that the process wrote to stderr. */
  #stderr: string[] = [];
  #lastRequest = '';
  #reserved = 0;
  #initStartedAt = Date.now();

  static async start(init: EnvironmentInit): Promise<Environment> {
    let environment: Environment | undefined;
    const api = await RuntimeApi.start({
      onPoll: (left) => environment?.onPoll(left),
      onInitError: async (request) => environment?.onInitError(await readError(request)),
      onReply: async (id, kind, request) => environment?.onReply(id, kind, request),
      onFault: (error) => environment?.onFault(error),
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
    this.#process = new EnvironmentProcess(init, api, {
      onLine: (line, requestId) => this.#onLine(line, requestId),
      onMessage: (message) => this.#onMessage(message),
      onStartError: ({ message }) => {
        this.#initError = { errorType: 'Runtime.StartError', errorMessage: message };
      },
      onClose: (code, signal) => this.#onClose(code, signal),
    });
    this.ended = this.#process.ended;
    this.#memory = new MemoryWatch(
      () => this.pid,
      (mb) => this.#checkMemory(mb),
    );
  }

  get pid(): number {
    return this.#process.pid;
  }

  /** Resident megabytes at the last measurement. */
  get memoryMb(): number {
    return this.#memory.mb;
  }

  /** Peak memory of the last invocation, in megabytes. */
  get peakMb(): number {
    return this.#memory.peakMb;
  }

  get isDead(): boolean {
    return this.state === 'dead';
  }

  /** True if it can accept another event now. */
  get hasRoom(): boolean {
    return this.#isReady && !this.isDead && this.#killedFor === undefined && this.#api.polls > this.#reserved;
  }

  /** True if it has answered all events and is about to request the next event. */
  get isFinishing(): boolean {
    return (
      this.#isReady && !this.isDead && this.#killedFor === undefined && this.running === 0 && this.#api.polls === 0
    );
  }

  /** Reserves a place for an event that is about to run. */
  reserve(): void {
    this.#reserved += 1;
  }

  /** The id of its newest event; `''` before the first event. */
  get lastRequest(): string {
    return this.#lastRequest;
  }

  /** Number of running and reserved events. */
  get running(): number {
    return this.#pending.size + this.#reserved;
  }

  /** Starts the service in a standby. */
  begin(order: StartOrder): void {
    this.fromStandby = true;
    this.state = 'init';
    this.#initStartedAt = Date.now();
    this.#process.send({ start: order });
  }

  /** Runs one event to its end; never rejects. */
  run(run: Run): Promise<RunResult> {
    this.#reserved = Math.max(0, this.#reserved - 1);
    this.#process.thaw();
    this.state = 'running';
    this.invocations += 1;
    this.#lastRequest = run.requestId;
    this.#memory.start();
    return new Promise((resolve) => {
      const limit =
        this.#init.config.inspect === undefined
          ? this.startLimit(run.timeoutMs, run.requestId, () => this.#timeOut(run))
          : undefined;
      this.#pending.set(run.requestId, { run, resolve, limit });
      const deadline = Date.now() + run.timeoutMs;
      this.#api.handOut(run.requestId, run.event, { ...run.headers, 'lambda-runtime-deadline-ms': String(deadline) });
    });
  }

  /** Starts a time limit. The time that the process waits for a CPU is added to it. @param requestId `''` for the init phase */
  startLimit(limitMs: number, requestId: string, onEnd: () => void): { timer: FairTimer; wait: CpuWait } {
    const wait = new CpuWait(this.pid);
    const onAdded = (ms: number) => {
      const text = `framework: the machine was busy: ${Number((ms / 1000).toFixed(1))} s added to the time limit`;
      this.#init.events.onLog(this, requestId, { at: Date.now(), level: 'warn', text });
    };
    return { timer: new FairTimer({ limitMs, wait, onAdded, onEnd }), wait };
  }

  /** Sends a question to the process; `undefined` if it cannot answer. */
  async ask(question: Question, more: object = {}): Promise<unknown> {
    if (this.isDead || this.#init.config.managedInstances !== undefined) return undefined;
    const value = await this.#process.ask(question, more);
    if (this.state === 'idle' && this.running === 0) this.freeze();
    return value;
  }

  /** Stops the process until its next event. */
  freeze(): void {
    this.#process.freeze();
  }

  /** Kills the process. Its events fail with this reason. */
  kill(reason: FailureReason): void {
    this.#killedFor ??= reason;
    this.#process.kill();
  }

  #onMessage(message: ProcessMessage): void {
    // An error that nothing caught is the reason of the exit that follows.
    const isEnd = message.type === 'exit' || message.type === 'idle' || message.type === 'uncaught';
    if (isEnd && this.#goodbye?.type !== 'uncaught') this.#goodbye = message as unknown as Goodbye;
    if (isEnd) return;
    if (message.type === 'standby') this.state = 'standby';
    else this.#init.events.onMessage(this, message);
  }

  #onLine(line: LogLine, requestId: string): void {
    if (line.level === 'stderr') this.#stderr = [...this.#stderr, line.text].slice(-STDERR_LINES);
    this.#init.events.onLog(this, requestId || this.#lastRequest, line);
  }

  /** The runtime polls for the next event. */
  onPoll(left: readonly string[]): void {
    if (!this.#isReady) {
      this.#isReady = true;
      this.initMs = Date.now() - this.#initStartedAt;
      this.#settleReady();
    }
    if (this.#pending.size === 0) {
      this.state = 'idle';
      this.#memory.stop();
    }
    this.#init.events.onFree(this, left);
  }

  onInitError(error: FunctionError): void {
    this.#initError = error;
  }

  /** Writes an error of the Runtime API to the function's log. */
  onFault(error: unknown): void {
    const text = `framework: the Runtime API failed: ${error instanceof Error ? error.message : String(error)}`;
    this.#init.events.onLog(this, this.#lastRequest, { at: Date.now(), level: 'error', text });
  }

  async onReply(requestId: string, kind: 'response' | 'error', request: IncomingMessage): Promise<void> {
    if (kind === 'error') {
      const error = await readError(request);
      return this.finish(requestId, { kind: 'failed', reason: 'handler', error });
    }
    const reply = await readReply(request);
    if (reply.kind === 'stream') await this.#takeStream(requestId, reply);
    else if (reply.kind === 'whole') this.finish(requestId, { kind: 'answer', text: reply.text, streamed: false });
    else this.finish(requestId, { kind: 'failed', reason: 'size', error: ANSWER_TOO_LARGE });
  }

  /** Settles one event, once. */
  finish(requestId: string, result: RunResult): void {
    const pending = this.#pending.get(requestId);
    if (!pending) return;
    this.#pending.delete(requestId);
    pending.limit?.timer.cancel();
    pending.resolve(result);
  }

  async #takeStream(requestId: string, { contentType, body }: { contentType: string; body: IncomingMessage }) {
    const sink = this.#pending.get(requestId)?.run.sink;
    const chunks: Buffer[] = [];
    sink?.head(contentType);
    const ended = new Promise<void>((resolve) => body.once('close', resolve));
    body.on('data', (chunk: Buffer) => {
      if (!sink) return void chunks.push(chunk);
      const waits = sink.chunk(chunk);
      if (!waits) return;
      body.pause();
      void waits.then(() => body.resume());
    });
    body.on('error', () => {});
    await ended;
    // A killed process reports the reason itself.
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

  #checkMemory(mb: number): void {
    for (const { limit } of this.#pending.values()) limit?.wait.includeOthers();
    const { memoryMb, managedInstances } = this.#init.config;
    if (mb > memoryMb && managedInstances === undefined) this.kill('memory');
  }

  #onClose(code: number | null, signal: string | null): void {
    const { events, config } = this.#init;
    const wasReady = this.#isReady;
    this.state = 'dead';
    this.#memory.stop();
    const isOutOfMemory = signal === 'SIGABRT' && this.#stderr.some((line) => OUT_OF_MEMORY.test(line));
    const reason = this.#killedFor ?? (isOutOfMemory ? 'memory' : 'exit');
    const end = { reason, code, signal, goodbye: this.#goodbye, memoryMb: config.memoryMb };
    for (const { run } of [...this.#pending.values()]) {
      const error = endError(run, end);
      run.sink?.end(error);
      this.finish(run.requestId, { kind: 'failed', reason, error });
    }
    if (!wasReady) this.#settleReady(initFailure({ ...end, reason: this.#killedFor }, this.#initError));
    this.#api.close();
    events.onEnd(this);
  }
}
