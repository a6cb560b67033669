import { FrameworkError, type MaybePromise } from '@sallyport/core';
import { guardHook } from '@sallyport/core/internal';
import { type McpRequest, nowMs } from '../../http/internal/exchange.js';
import { INTERNAL_ERROR } from '../../protocol/internal/json-rpc.js';
import { RPC } from '../../protocol/internal/protocol.js';
import type {
  AskKind,
  ClientCapabilities,
  Era,
  Implementation,
  Json,
  LogLevel,
  RequestId,
} from '../../protocol/types.js';
import { RpcError, tooLarge } from '../../server/errors.js';
import type { Kept } from '../../store/internal/row-text.js';
import type { Question } from './ask.js';
import { type RecordedAnswer, type RunMemory, RunRecord } from './record.js';

/** The kinds of questions of a handler without the options `asks` and `requires`. */
export const NO_ASKS: ReadonlySet<AskKind> = new Set();

/** The request of a run, and its capabilities. */
export interface RunScope {
  readonly http: McpRequest;
  readonly era: Era;
  readonly protocolVersion: string;
  readonly client: Implementation | undefined;
  readonly clientCapabilities: ClientCapabilities;
  readonly progressToken: string | number | undefined;
  readonly requestId: RequestId;
  /** `_meta` of the request, as received. */
  readonly meta: unknown;
  /** A name for the session; not the session id. */
  readonly sessionId: string | undefined;
  /** Name of the running handler, for log lines. */
  readonly target: string;
  /** The lowest level that is sent; `undefined` sends none. Called when the handler logs. */
  readonly logLevel: () => MaybePromise<LogLevel | undefined>;
  /** The kinds of questions in the handler's options `asks` and `requires`. */
  readonly asks: ReadonlySet<AskKind>;
  /** `no`: this client, or this kind of response, does not support questions. */
  readonly asking: 'pause' | 'hold' | 'no';
  /** True if the client can resume after a closed stream. */
  readonly canClose: boolean;
  /** For `hold`: sends a question and waits for its answer. */
  readonly hold?: (question: Question, run: Run) => Promise<RecordedAnswer>;
  /** The limit for the stored data of the call, and for each part of it, in bytes. */
  readonly maxKeptBytes: number;
  /** Checks whether the client has cancelled. */
  readonly isCancelled?: () => Promise<boolean>;
  /** True if a later run of the call continues after the events of this run. */
  readonly keepsEvents: boolean;
  readonly memory: RunMemory;
}

/**
 * A promise that never settles. A stopped run never continues, so its handler waits for such a promise. Each wait has its own
 * promise: one shared promise would keep every stopped handler in memory.
 */
export function never(): Promise<never> {
  return new Promise(() => {});
}

/** The end of a run. */
export type Outcome =
  | { readonly kind: 'answer'; readonly value: unknown }
  | {
      readonly kind: 'questions';
      readonly questions: readonly Question[];
      readonly state: Json | undefined;
      /** True if the handler returned them: it reads the answers itself. */
      readonly returned: boolean;
    }
  | { readonly kind: 'closed' }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'lacks'; readonly required: ClientCapabilities }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'timeout' };

/** Milliseconds before the deadline of the invocation at which a run ends. */
const SAFETY_MS = 1000;
/** The shortest time between two checks for a cancellation, in milliseconds. */
export const LOOK_EVERY_MS = 1000;

/** One run of a handler, from its start to its outcome. */
export class Run {
  readonly scope: RunScope;
  readonly record: RunRecord;
  readonly outcome: Promise<Outcome>;
  readonly #settle: (outcome: Outcome) => void;
  #over = false;
  #whenOver: Promise<Outcome> | undefined;
  #notifyOver: (outcome: Outcome) => void = () => {};
  #abort: AbortController | undefined;
  #aborted: { reason: unknown } | undefined;
  #unlink: (() => void) | undefined;
  #stopTimer: (() => void) | undefined;
  /** Steps, and answers that are being checked: a run does not stop while one of them may still be recorded. */
  readonly #busy = new Set<Promise<unknown>>();
  #cancelCheck: Promise<void> | undefined;
  #lookedAt = 0;
  /** Calls of the store that must end before the answer ends. */
  readonly #storeCalls = new Set<Promise<unknown>>();

  constructor(scope: RunScope) {
    this.scope = scope;
    this.record = new RunRecord(scope.memory);
    let settle: (outcome: Outcome) => void = () => {};
    this.outcome = new Promise((resolve) => {
      settle = resolve;
    });
    this.#settle = settle;
  }

  /** Starts the time limit and the work. A rejection of the work fails the run. */
  start(work: () => Promise<void>): void {
    const { http } = this.scope;
    const left = http.deadline - SAFETY_MS - nowMs(http.clock);
    this.#stopTimer = http.clock.after(Math.max(left, 0), () => {
      this.finish({ kind: 'timeout' }, new FrameworkError('app.timeout'));
    });
    work().catch((error: unknown) => this.finish({ kind: 'failed', error }));
  }

  /** Resolves as soon as the run has an outcome; `outcome` still waits for hooks and the store. */
  get over(): Promise<Outcome> {
    this.#whenOver ??= new Promise((resolve) => {
      this.#notifyOver = resolve;
    });
    return this.#whenOver;
  }

  /** Sets the outcome of the run, once. `abortReason` aborts the signal of the handler. */
  finish(outcome: Outcome, abortReason?: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.#notifyOver(outcome);
    this.#stopTimer?.();
    if (abortReason !== undefined) this.#abortWith(abortReason);
    this.#unlink?.();
    const settle = this.#settle;
    // The store must not be used after the answer was sent.
    if (this.#storeCalls.size > 0) Promise.allSettled(this.#storeCalls).then(() => settle(outcome));
    else settle(outcome);
  }

  /**
   * Stops a run whose handler will be called again. Its signal does not abort: the handler has not failed, so its error handling
   * must not run.
   */
  stop(outcome: Outcome): void {
    this.finish(outcome);
  }

  /** Fails the run with an internal error. The reason is only logged. */
  fail(why: string): void {
    this.finish({ kind: 'failed', error: new RpcError(RPC.internalError, INTERNAL_ERROR, undefined, 200, why) });
  }

  /** Fails the run because a value is too large for the store. */
  failTooLarge(what: Kept, bytes: number): void {
    const { http, maxKeptBytes } = this.scope;
    guardHook(() => http.log.warn('mcp.too_large', { target: this.scope.target, what, bytes }));
    this.finish({ kind: 'failed', error: tooLarge(what, bytes, maxKeptBytes) });
  }

  /** Fails the run because the client does not have a required capability. */
  lack(required: ClientCapabilities): void {
    this.finish({ kind: 'lacks', required });
  }

  /** Stops the run after a cancellation by the client. */
  cancel(): void {
    this.finish({ kind: 'cancelled' }, new FrameworkError('app.timeout', 'cancelled by the client'));
  }

  get isOver(): boolean {
    return this.#over;
  }

  /** Delays the end of the answer until this call of the store has ended. */
  track<T>(call: Promise<T>): Promise<T> {
    return keepWhilePending(this.#storeCalls, call);
  }

  /** Checks for a cancellation, at most once a second. */
  checkCancelled(): Promise<void> {
    const { isCancelled, http } = this.scope;
    if (!isCancelled || this.#over) return Promise.resolve();
    if (this.#cancelCheck) return this.#cancelCheck;
    const now = nowMs(http.clock);
    if (now - this.#lookedAt < LOOK_EVERY_MS) return Promise.resolve();
    this.#lookedAt = now;
    this.#cancelCheck = this.track(isCancelled().catch(() => false)).then((cancelled) => {
      this.#cancelCheck = undefined;
      if (cancelled) this.cancel();
    });
    return this.#cancelCheck;
  }

  /** Prevents the run from stopping until this work of the handler is recorded. */
  underWay<T>(work: Promise<T>): Promise<T> {
    return keepWhilePending(this.#busy, work);
  }

  /** Stops the run after this turn of the event loop, if no work is in progress. */
  stopSoon(stop: () => void): void {
    setImmediate(() => {
      if (this.#busy.size === 0) stop();
      else Promise.allSettled(this.#busy).then(() => this.stopSoon(stop));
    });
  }

  /** Aborts when the run is cancelled or its time is over, or when the request's own signal aborts. Created at the first read. */
  get signal(): AbortSignal {
    if (!this.#abort) {
      this.#abort = new AbortController();
      if (this.#aborted) this.#abort.abort(this.#aborted.reason);
      else this.#link(this.scope.http.signal);
    }
    return this.#abort.signal;
  }

  #link(outer: AbortSignal): void {
    const abort = () => this.#abortWith(outer.reason);
    if (outer.aborted) abort();
    else if (!this.#over) {
      outer.addEventListener('abort', abort, { once: true });
      this.#unlink = () => outer.removeEventListener('abort', abort);
    }
  }

  #abortWith(reason: unknown): void {
    this.#aborted ??= { reason };
    this.#abort?.abort(reason);
  }

  /** Removes and returns the waiting events as JSON. */
  takeEvents(): Promise<string[]> {
    return this.record.takeEvents(this.scope.logLevel);
  }

  /** Sends a message of the engine itself, such as a question on an open stream. */
  send(json: string): void {
    if (this.#over) return;
    this.record.isUrgent = true;
    this.record.send({ json });
  }

  /** The data for the next run of this call, after questions or a closed stream. */
  remember(outcome: Outcome): RunMemory {
    return this.record.remember(outcome.kind === 'questions' ? outcome : undefined);
  }
}

/** Keeps a promise in a set until it is settled. */
function keepWhilePending<T>(pending: Set<Promise<unknown>>, promise: Promise<T>): Promise<T> {
  pending.add(promise);
  const settled = () => pending.delete(promise);
  promise.then(settled, settled);
  return promise;
}
