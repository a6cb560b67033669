import { FrameworkError, type MaybePromise } from '@sallyport/core';
import { guardHook, sha256Url } from '@sallyport/core/internal';
import { type McpRequest, nowMs } from '../../http/internal/transport.js';
import { INTERNAL_ERROR } from '../../protocol/internal/json-rpc.js';
import { passesLevel, RPC } from '../../protocol/internal/protocol.js';
import type {
  AskKind,
  ClientCapabilities,
  Era,
  Implementation,
  InputResponses,
  Json,
  JsonObject,
  LogLevel,
  RequestId,
} from '../../protocol/types.js';
import { RpcError, tooLarge } from '../../server/errors.js';
import type { Kept } from '../../store/internal/row-text.js';
import {
  type CallFacts,
  MAX_QUESTIONS,
  MAX_ROUNDS,
  packMemory,
  type Question,
  type RecordedAnswer,
  type RunMemory,
} from './record.js';

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
  /** Names the running handler in log records. */
  readonly facts: CallFacts;
  /** The lowest level that is sent; `undefined` sends none. Called when the handler logs. */
  readonly logLevel: () => MaybePromise<LogLevel | undefined>;
  /** The kinds of questions in the handler's options `asks` and `requires`. */
  readonly asks: ReadonlySet<AskKind>;
  /** `no`: this client, or this kind of response, does not support questions. */
  readonly asking: 'pause' | 'hold' | 'no';
  /** True if the client can resume after a closed stream. */
  readonly canClose: boolean;
  /** For `hold`: sends a question and waits for its answer. */
  readonly hold?: (question: Question, run: HandlerRun) => Promise<RecordedAnswer>;
  /** The limit for the stored data of the call, and for each part of it, in bytes. */
  readonly maxKeptBytes: number;
  /** Checks whether the client has cancelled. */
  readonly isCancelled?: () => Promise<boolean>;
  /** True if a later run of the call continues after the events of this run. */
  readonly keepsEvents: boolean;
  /** The data of the earlier runs of the call; `undefined` in the first run. */
  readonly memory: RunMemory | undefined;
}

/**
 * A promise that never settles. A stopped run never continues, so its handler waits for such a promise. Each wait has its own
 * promise: one shared promise would keep every stopped handler in memory.
 */
export function never(): Promise<never> {
  return new Promise(() => {});
}

/** The end of a run after which the call is answered. */
export type FinalOutcome =
  | { readonly kind: 'answer'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'lacks'; readonly required: ClientCapabilities }
  | { readonly kind: 'timeout' };

/**
 * The end of a run after which the handler is called again, on any instance. It has all that the layers above the run need to continue
 * the call: they store it, or send it to the client.
 */
export interface Paused {
  readonly kind: 'paused';
  /** `asked`: the call continues with the client's answers. `closed`: the handler closed its stream. */
  readonly on: 'asked' | 'closed';
  /** The open questions; empty after a closed stream. */
  readonly questions: readonly Question[];
  /** True if the handler returned the questions: it reads the answers itself. */
  readonly returned: boolean;
  /** The data for the next run. */
  readonly memory: RunMemory;
}

/** The end of a run. */
export type Outcome = FinalOutcome | Paused | { readonly kind: 'cancelled' };

/** An event that is to be sent to the client. */
interface RunEvent {
  readonly json: string;
  readonly level?: LogLevel;
}

/** 48 bits are enough to distinguish the events of one call. */
const EVENT_DIGEST_LENGTH = 8;
const NO_INPUTS: InputResponses = Object.freeze(Object.create(null) as InputResponses);

/** Milliseconds before the deadline of the invocation at which a run ends. */
const SAFETY_MS = 1000;
/** The shortest time between two checks for a cancellation, in milliseconds. */
export const LOOK_EVERY_MS = 1000;

/** One run of a handler, from its start to its outcome, with the events that it sends. */
export class HandlerRun {
  readonly scope: RunScope;
  /** The recorded data of the call. Answers and steps of this run are added to it. */
  memory: RunMemory;
  readonly outcome: Promise<Outcome>;
  /** Returns members of `_meta` for messages to the client: the span of this run. Digests of messages do not contain them. */
  trace: (() => JsonObject | undefined) | undefined;
  /** Called for each new event. */
  onEvent: (() => void) | undefined;
  /** Sends a question on the open stream and waits for its answer; `undefined` if the call is to be parked. Set by streams that hold. */
  hold: ((question: Question, isReturned?: boolean) => Promise<RecordedAnswer | undefined>) | undefined;
  /** True if the waiting events must be written immediately. */
  isUrgent = false;
  #events: RunEvent[] = [];
  /** Events of earlier runs that the handler has not emitted again yet. */
  #unseen: Map<string, number>;
  /** All events that this run and the earlier runs have sent. */
  readonly #sent: Map<string, number>;
  #closes = 0;
  /** The client's log level. If it is in the store, it is read once. */
  #level: Promise<LogLevel | undefined> | undefined;
  #settle: ((outcome: Outcome) => void) | undefined;
  #over = false;
  #whenOver: Promise<Outcome> | undefined;
  #notifyOver: ((outcome: Outcome) => void) | undefined;
  #abort: AbortController | undefined;
  #aborted: { reason: unknown } | undefined;
  #unlink: (() => void) | undefined;
  #stopTimer: (() => void) | undefined;
  /** Steps, and answers that are being checked: a run does not pause while one of them may still be recorded. */
  readonly #busy = new Set<Promise<unknown>>();
  #cancelCheck: Promise<void> | undefined;
  #lookedAt = 0;
  /** Calls of the store that must end before the answer ends. */
  readonly #storeCalls = new Set<Promise<unknown>>();

  constructor(scope: RunScope) {
    this.scope = scope;
    this.memory = scope.memory ?? {
      answers: new Map(),
      steps: new Map(),
      inputs: NO_INPUTS,
      state: undefined,
      sent: new Map(),
      closes: 0,
      round: 0,
    };
    this.#unseen = new Map(this.memory.sent);
    this.#sent = new Map(this.memory.sent);
    this.outcome = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /** Starts the time limit. */
  start(): void {
    const { http } = this.scope;
    const left = http.deadline - SAFETY_MS - nowMs(http.clock);
    this.#stopTimer = http.clock.after(Math.max(left, 0), () => {
      this.finish({ kind: 'timeout' }, new FrameworkError('app.timeout'));
    });
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
    this.#notifyOver?.(outcome);
    this.#stopTimer?.();
    if (abortReason !== undefined) this.#abortWith(abortReason);
    this.#unlink?.();
    // The store must not be used after the answer was sent.
    if (this.#storeCalls.size > 0) Promise.allSettled(this.#storeCalls).then(() => this.#settle?.(outcome));
    else this.#settle?.(outcome);
  }

  /**
   * Pauses the call until the client has answered. The signal does not abort: the handler has not failed, so its error handling must not
   * run. Too many questions, and data that is too large for the store, fail the run instead.
   *
   * @param held the valid answers to questions that the handler returned and that were held
   * @returns `true` if such questions are all answered: the handler is called again in this run
   */
  pauseForAnswers(
    questions: readonly Question[],
    state: Json | undefined,
    returned: boolean,
    held?: InputResponses,
  ): boolean {
    const { memory } = this;
    const inputs = held ?? NO_INPUTS;
    const bytes = Buffer.byteLength(JSON.stringify({ ...packMemory({ ...memory, inputs }), st: state }), 'utf8');
    const next = { ...memory, inputs, state, round: memory.round + 1 };
    if (questions.length > MAX_QUESTIONS) this.fail(`more than ${MAX_QUESTIONS} questions in a round`);
    else if (memory.round >= MAX_ROUNDS) this.fail(`more than ${MAX_ROUNDS} rounds of questions`);
    else if (bytes > this.scope.maxKeptBytes) this.failTooLarge('state', bytes);
    else if (questions.length > 0 || held === undefined) this.#pause({ on: 'asked', questions, returned }, next);
    else {
      this.memory = next;
      this.#unseen = new Map(this.#sent);
      return !this.#over;
    }
    return false;
  }

  /** Pauses the call after its handler has closed the stream; `false` if an earlier run has already closed it here. */
  pauseForReader(): boolean {
    this.#closes += 1;
    if (this.#closes <= this.memory.closes) return false;
    this.whenIdle(() => this.#pause({ on: 'closed', questions: [], returned: false }, this.memory));
    return true;
  }

  #pause(pause: Omit<Paused, 'kind' | 'memory'>, next: RunMemory): void {
    const memory = { ...next, given: undefined, sent: this.#sent, closes: this.#closes };
    this.finish({ kind: 'paused', ...pause, memory });
  }

  /** Fails the run with an internal error. The reason is only logged. */
  fail(why: string): void {
    this.finish({ kind: 'failed', error: new RpcError(RPC.internalError, INTERNAL_ERROR, undefined, 200, why) });
  }

  /** Fails the run because a value is too large for the store. */
  failTooLarge(what: Kept, bytes: number): void {
    const { http, maxKeptBytes } = this.scope;
    guardHook(() => http.log.warn('mcp.too_large', { ...this.scope.facts, what, bytes }));
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

  /** Prevents the run from pausing until this work of the handler is recorded. */
  underWay<T>(work: Promise<T>): Promise<T> {
    return keepWhilePending(this.#busy, work);
  }

  /** Calls back after this turn of the event loop, when no work is in progress. */
  whenIdle(callback: () => void): void {
    setImmediate(() => {
      if (this.#busy.size === 0) callback();
      else Promise.allSettled(this.#busy).then(() => this.whenIdle(callback));
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

  /**
   * Sends an event of the handler that a replay emits again, unless an earlier run has sent it. It is recognized by its content and
   * not by its position, because parallel branches of a handler can emit in another order.
   *
   * @param content the JSON of the event without its trace context, which differs between runs
   */
  emit(event: RunEvent, content: string): void {
    const digest = sha256Url(content).slice(0, EVENT_DIGEST_LENGTH);
    const unseen = this.#unseen.get(digest) ?? 0;
    if (unseen > 0) this.#unseen.set(digest, unseen - 1);
    else {
      this.#sent.set(digest, (this.#sent.get(digest) ?? 0) + 1);
      this.send(event);
    }
  }

  /** Sends a message that a replay does not emit again. */
  send(event: RunEvent): void {
    this.#events.push(event);
    this.onEvent?.();
  }

  /** Sends a message of the engine itself, such as a question on an open stream. */
  sendNow(json: string): void {
    if (this.#over) return;
    this.isUrgent = true;
    this.send({ json });
  }

  /** True if events are waiting. */
  get hasEvents(): boolean {
    return this.#events.length > 0;
  }

  /** Removes and returns the waiting events as JSON; events below the client's level are left out. */
  async takeEvents(): Promise<string[]> {
    const events = this.#events;
    this.#events = [];
    this.isUrgent = false;
    if (!events.some(({ level }) => level !== undefined)) return events.map(({ json }) => json);
    this.#level ??= Promise.resolve(this.scope.logLevel());
    const least = await this.#level;
    return events
      .filter(({ level }) => level === undefined || (least !== undefined && passesLevel(level, least)))
      .map(({ json }) => json);
  }
}

/** Keeps a promise in a set until it is settled. */
function keepWhilePending<T>(pending: Set<Promise<unknown>>, promise: Promise<T>): Promise<T> {
  pending.add(promise);
  const settled = () => pending.delete(promise);
  promise.then(settled, settled);
  return promise;
}
