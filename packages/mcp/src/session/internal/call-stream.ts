import { guardHook } from '@sallyport/core/internal';
import { type McpRequest, nowMs, retryFrame } from '../../http/internal/transport.js';
import { RPC } from '../../protocol/internal/protocol.js';
import { plainFrames, toEnding, toResult } from '../../run/internal/answer.js';
import type { Call, Ending, Sink } from '../../run/internal/call.js';
import {
  type CallFacts,
  NOTHING_RECORDED,
  type PackedMemory,
  packMemory,
  type Question,
} from '../../run/internal/record.js';
import type { HandlerRun, Outcome, Paused } from '../../run/internal/run.js';
import { RpcError, tooLarge } from '../../server/errors.js';
import type { ServerData } from '../../server/internal/server-data.js';
import { toTheEnd, withLastingStore } from '../../store/internal/lasting.js';
import type { Kept } from '../../store/internal/row-text.js';
import { HeldQuestions } from './held.js';
import { closeOpenStream, openStream } from './paused.js';
import type { SessionRequest } from './request.js';
import { newStreamId, type StreamHead, StreamLog, StreamLost } from './stream-log.js';

/** Milliseconds after which a silent run counts as lost; a run renews its lease in shorter intervals. */
const LEASE_MS = 30_000;
const RENEW_EVERY_MS = 10_000;
/** Milliseconds after which a lease is renewed even if a question is open, so that a failed renewal can be tried again. */
const RENEW_AT_LATEST_MS = 25_000;
const RENEW_AGAIN_MS = 1000;
/** Milliseconds from the deadline of a run to the end of its lease, for sending the answer. */
const DEADLINE_MARGIN_MS = 5000;

/** Epoch milliseconds at which a run that has not renewed its lease counts as lost. */
export function leaseOf({ deadline, clock }: McpRequest): number {
  return Math.min(nowMs(clock) + LEASE_MS, deadline + DEADLINE_MARGIN_MS);
}

/** Creates the stream of a new call. */
export function newCallStream(origin: SessionRequest, call: Call, run: HandlerRun): CallStream {
  const log = new StreamLog(origin.server, origin.session.partition ?? '', newStreamId(), origin.http);
  return new CallStream(origin, call, run, log, 'new');
}

/**
 * `new`: the client reads, and nothing is stored yet. `claimed`: the client reads the rest of a stream. `answered`: no client
 * reads; messages that are not stored are lost.
 */
type Beginning = 'new' | 'claimed' | 'answered';

/** The stream of a call that the client can resume. */
export class CallStream implements Sink {
  readonly #origin: SessionRequest;
  readonly #call: Call;
  readonly #run: HandlerRun;
  readonly #log: StreamLog;
  readonly #isRead: boolean;
  /** True if the head row is in the store. */
  #stored: boolean;
  /** True if this call is in the session's list of paused calls. */
  #listed: boolean;
  /** True if events are stored before they are written. If the store fails, the connected client gets the rest without ids. */
  #keeps = true;
  /** True if another run has taken over the stream and answers the client. */
  #lost = false;
  #cancelled = false;
  /** Set if questions wait on this stream before the call is parked. */
  #held: HeldQuestions | undefined;

  constructor(origin: SessionRequest, call: Call, run: HandlerRun, log: StreamLog, beginning: Beginning) {
    this.#origin = origin;
    this.#call = call;
    this.#run = run;
    this.#log = log;
    this.#isRead = beginning !== 'answered';
    this.#stored = beginning !== 'new';
    log.isAwaited = this.#isRead;
    this.#listed = this.#stored;
    if (this.#stored) this.#keepLease();
    const { server, http } = origin;
    if (beginning === 'new' && http.canStream && server.settings.whileWaiting === 'auto') {
      const held = new HeldQuestions(log, run, http, server.settings.holdMs);
      run.hold = (question, isReturned = false) => held.ask(question, questionText(log.id, question), isReturned);
      this.#held = held;
    }
  }

  get #facts(): CallFacts {
    return { method: this.#call.method, ...this.#call.target.facts };
  }

  get resumable(): boolean {
    return this.#keeps;
  }

  async open(): Promise<string> {
    if (!this.#stored) {
      this.#stored = await this.#tryToKeep(() => this.#save(this.#headOf('running')));
      if (!this.#stored) return '';
      this.#keepLease();
    }
    return this.#log.priming(0);
  }

  /** Only stored events have ids, because a client can resume from an id. */
  async whole(messages: readonly string[]): Promise<string> {
    if (!this.#stored && !this.#cancelled && this.#keeps) {
      this.#stored = await this.#tryToKeep(async () => {
        await this.#append(messages);
        return this.#save(this.#headOf('ended', messages.length));
      });
    }
    if (!this.#stored || !this.#keeps) return plainFrames(messages);
    return this.#log.priming(0) + this.#log.frames(messages);
  }

  async write(messages: readonly string[], isRunning: boolean): Promise<string> {
    if (isRunning && this.#keeps) {
      await this.#tryToKeep(async () => {
        await this.#append(messages);
        return true;
      });
    }
    if (this.#lost) return '';
    return this.#keeps ? this.#log.frames(messages) : plainFrames(messages);
  }

  async end(outcome: Outcome, unsent: readonly string[]): Promise<Ending> {
    if (this.#lost) return NOTHING;
    if (outcome.kind === 'paused') return this.#pause(outcome, unsent);
    if (outcome.kind === 'cancelled') return this.#endCancelled();
    const { request, http } = this.#origin;
    const ending = toEnding(request.id, await toResult(this.#call, 'session', outcome, http));
    return this.#stored ? this.#endStored(ending, unsent) : ending;
  }

  /**
   * The end of a stream that is already in the store. A connected client gets it even if it cannot be stored; a client that
   * resumes later then gets "Interrupted".
   */
  async #endStored(ending: Ending, unsent: readonly string[]): Promise<Ending> {
    const messages = [...unsent, ...ending.messages];
    const end = async () => {
      await this.#append(messages);
      return this.#save(this.#headOf('ended', messages.length));
    };
    if (!this.#isRead) await this.#unlessLost(end);
    else if (this.#keeps) await this.#tryToKeep(end);
    if (this.#lost) return NOTHING;
    await this.#unlist();
    return ending;
  }

  async #endCancelled(): Promise<Ending> {
    this.#cancelled = true;
    if (this.#stored) {
      await this.#tryToKeep(() => this.#save(this.#headOf('cancelled')));
      await this.#unlist();
    }
    return NOTHING;
  }

  /** Pauses the call: the request with the answers, or the request that resumes the stream, continues it. */
  async #pause({ on, questions, returned, memory }: Paused, unsent: readonly string[]): Promise<Ending> {
    const { server, http, session, request } = this.#origin;
    const pending = questions.map(({ key, digest, request: asked }) =>
      returned ? { key, digest, asked } : { key, digest },
    );
    const messages = questions
      .filter(({ key }) => !this.#held?.isSent(key))
      .map((question) => questionText(this.#log.id, question));
    const stored = [...unsent, ...messages];
    const state = on === 'asked' ? 'waiting' : 'open';
    const head = this.#headOf(state, stored.length, packMemory(memory), pending);
    const bytes = Buffer.byteLength(JSON.stringify(head));
    if (bytes > server.maxKeptBytes) return this.#rejectPause(this.#tooLargeToPause(bytes), unsent);
    if (!this.#keeps) return this.#rejectPause(storeFailed(), unsent);
    // A client receives its questions only from the stored call.
    this.#log.isAwaited = false;
    try {
      const lasting = withLastingStore(server, http.clock, toTheEnd(http));
      this.#listed ||= await openStream(lasting, session, this.#log.id, request.id, nowMs(http.clock));
      if (!this.#listed)
        return await this.#rejectPause(new RpcError(RPC.internalError, 'Too many parked calls'), unsent);
      const paused = await this.#unlessLost(async () => {
        await this.#append(stored);
        return this.#save(head);
      });
      if (!paused) return NOTHING;
    } catch (error) {
      await this.#unlist();
      this.#log.isAwaited = this.#isRead;
      if (!this.#stored || !this.#isRead) throw error;
      this.#giveUp(error);
      return this.#rejectPause(storeFailed(), unsent);
    }
    this.#stored = true;
    return { messages, status: 200, form: 'sse', trailer: retryFrame(retryAfter(server, 0)) };
  }

  #rejectPause(error: RpcError, unsent: readonly string[]): Promise<Ending> | Ending {
    const ending = toEnding(this.#origin.request.id, error);
    return this.#stored ? this.#endStored(ending, unsent) : ending;
  }

  /** The row of a paused call contains the arguments and the recorded steps. */
  #tooLargeToPause(bytes: number): RpcError {
    const limit = this.#origin.server.maxKeptBytes;
    const args = Buffer.byteLength(JSON.stringify(this.#origin.request.params ?? {}));
    const what = args > limit / 2 ? 'arguments' : 'state';
    this.#report(what, bytes);
    return tooLarge(what, bytes, limit);
  }

  #append(messages: readonly string[]): Promise<void> {
    return this.#log.append(messages, (what, bytes) => this.#report(what, bytes));
  }

  #report(what: Kept, bytes: number): void {
    reportTooLarge(this.#origin.http, this.#facts, what, bytes);
  }

  /** Stores events for a connected client. If that fails, the client still gets its answer, but cannot resume. */
  async #tryToKeep(store: () => Promise<boolean>): Promise<boolean> {
    try {
      return await this.#unlessLost(store);
    } catch (error) {
      this.#giveUp(error);
      return false;
    }
  }

  #giveUp(error: unknown): void {
    this.#keeps = false;
    const { http } = this.#origin;
    guardHook(() => http.log.warn('mcp.stream_not_kept', { ...this.#facts, error }));
  }

  async #unlessLost(store: () => Promise<boolean>): Promise<boolean> {
    try {
      if (await store()) return true;
    } catch (error) {
      if (!(error instanceof StreamLost)) throw error;
    }
    this.#lose();
    return false;
  }

  #lose(): void {
    this.#lost = true;
    this.#run.cancel();
    guardHook(() => this.#origin.http.log.warn('mcp.stream_lost', this.#facts));
  }

  /** Renews the lease at intervals while the handler runs. An open question postpones this: waiting for a user costs no write. */
  #keepLease(): void {
    const run = this.#run;
    const { http } = this.#origin;
    let stop = () => {};
    let leasedAt = nowMs(http.clock);
    const renewAfter = (ms: number) => {
      stop = http.clock.after(ms, () => {
        if (run.isOver || !this.#keeps) return;
        const now = nowMs(http.clock);
        const postponedMs = Math.min(this.#held?.busyUntil ?? 0, leasedAt + RENEW_AT_LATEST_MS) - now;
        if (postponedMs > 0) return renewAfter(postponedMs);
        run.track(this.#log.renew(leaseOf(http))).then(
          (renewed) => {
            leasedAt = now;
            if (renewed) renewAfter(RENEW_EVERY_MS);
            else if (!run.isOver) this.#lose();
          },
          () => renewAfter(RENEW_AGAIN_MS),
        );
      });
    };
    renewAfter(RENEW_EVERY_MS);
    run.outcome.then(() => stop());
  }

  #save(head: StreamHead): Promise<boolean> {
    return this.#log.save(head);
  }

  #headOf(
    state: StreamHead['state'],
    added = 0,
    memory: PackedMemory = NOTHING_RECORDED,
    pending: StreamHead['pending'] = [],
  ): StreamHead {
    const { http, request, protocolVersion } = this.#origin;
    const { id, method, params } = request;
    const { scopes, anyScope } = this.#call.target;
    const facts = this.#facts;
    const runsAgain = state === 'waiting' || state === 'open';
    return {
      state,
      request: { id, method, params: runsAgain ? params : undefined },
      ...{ facts, scopes, anyScope, protocolVersion, pending },
      ...(this.#held && state === 'running' ? { notes: true } : {}),
      memory,
      next: this.#log.next + added,
      lease: state === 'running' ? leaseOf(http) : 0,
      since: nowMs(http.clock),
    };
  }

  /** If this fails, the entry in the list expires later. */
  async #unlist(): Promise<void> {
    if (!this.#listed) return;
    this.#listed = false;
    await closeOpenStream(this.#origin.server, this.#origin.session, this.#log.id).catch(() => {});
  }
}

function storeFailed(): RpcError {
  return new RpcError(RPC.internalError, 'The store failed', { code: 'mcp.store' });
}

const NOTHING: Ending = { messages: [], status: 200, form: 'any' };

/** Logs one line for a value that is too large for the store. */
export function reportTooLarge(http: McpRequest, facts: CallFacts, what: Kept, bytes: number): void {
  guardHook(() => http.log.warn('mcp.too_large', { ...facts, what, bytes }));
}

/** A question as a JSON-RPC request of the server; its id identifies the stream for the answer. */
export function questionText(stream: string, { key, request }: Question): string {
  return JSON.stringify({ jsonrpc: '2.0', id: `${stream}.${key}`, ...request });
}

/** Polling intervals by age: programs answer immediately, users after seconds or minutes. */
const RETRY_STEPS: readonly (readonly [number, number])[] = [
  [200, 100],
  [1000, 250],
  [5000, 500],
  [30_000, 2000],
];

/** Milliseconds until a client polls a call again that has been paused or running for `ageMs`. */
export function retryAfter({ settings }: ServerData, ageMs: number): number {
  return settings.retryMs ?? RETRY_STEPS.find(([age]) => ageMs < age)?.[1] ?? 5000;
}
