import { type McpRequest, nowMs, retryFrame } from '../../http/internal/exchange.js';
import { RPC } from '../../protocol/internal/protocol.js';
import type { Question } from '../../run/internal/ask.js';
import { type Call, type Ending, type FinalOutcome, type Sink, toResult } from '../../run/internal/call.js';
import { plainFrames } from '../../run/internal/deliver.js';
import { freshMemory, packMemory, type RunMemory } from '../../run/internal/record.js';
import type { Outcome, Run } from '../../run/internal/run.js';
import { RpcError } from '../../server/errors.js';
import type { Core } from '../../server/internal/core.js';
import { closeOpenStream, openStream } from './parked.js';
import { internalEnding, type SessionRequest, toEnding } from './request.js';
import { newStreamId, type StreamHead, StreamLog, StreamLost, TooLargeToStore } from './stream-log.js';

const LEASE_MARGIN_MS = 5000;

/** Epoch milliseconds at which a run that has not ended is lost. */
export function leaseOf({ deadline }: McpRequest): number {
  return deadline + LEASE_MARGIN_MS;
}

/** A stream of its own for a call that begins. */
export function newCallStream(origin: SessionRequest, call: Call, run: Run): CallStream {
  const now = () => nowMs(origin.http.clock);
  const log = new StreamLog(origin.core, origin.session.partition ?? '', newStreamId(), now);
  return new CallStream(origin, call, run, log);
}

/** The stream of a call that the client can come back to. */
export class CallStream implements Sink {
  readonly resumable = true;
  readonly #origin: SessionRequest;
  readonly #call: Call;
  readonly #run: Run;
  readonly #log: StreamLog;
  /** Whether a head is in the store. */
  #stored: boolean;
  /** Whether the session's list of parked calls names this one. */
  #listed: boolean;
  /** Set when the stream cannot go on: too large to store, or taken over. */
  #broken: 'large' | 'lost' | undefined;
  #cancelled = false;

  constructor(origin: SessionRequest, call: Call, run: Run, log: StreamLog, continued = false) {
    this.#origin = origin;
    this.#call = call;
    this.#run = run;
    this.#log = log;
    this.#stored = continued;
    this.#listed = continued;
  }

  async open(): Promise<string> {
    if (!this.#stored) {
      await this.#save('running', freshMemory());
      this.#stored = true;
    }
    return this.#log.priming(0);
  }

  /** Events have ids only when they are in the store: a client that has an id comes back for the rest. */
  async whole(messages: readonly string[]): Promise<string> {
    if (!this.#stored && !(await this.#keep(messages))) return plainFrames(messages);
    return this.#log.priming(0) + this.#log.frames(messages);
  }

  /**
   * Stores a finished stream, for a client that is cut off while it reads. The call has been run: when its events are too
   * large or the store fails, the answer still goes out, without ids.
   */
  async #keep(messages: readonly string[]): Promise<boolean> {
    if (this.#cancelled || this.#broken) return false;
    try {
      await this.#log.append(messages);
      return await this.#save('ended', freshMemory(), messages.length);
    } catch (error) {
      if (!(error instanceof TooLargeToStore)) this.#origin.http.log.warn('mcp.stream_not_kept', { error });
      return false;
    }
  }

  async write(messages: readonly string[], live: boolean): Promise<string> {
    if (live && !(await this.#store(messages))) {
      this.#run.cancel();
      return '';
    }
    return this.#log.frames(messages);
  }

  async end(outcome: Outcome, unsent: readonly string[]): Promise<Ending> {
    if (this.#broken === 'lost') return NOTHING;
    if (this.#broken === 'large') return this.#endStored(internalEnding(this.#origin), []);
    if (outcome.kind === 'questions' || outcome.kind === 'closed') return this.#park(outcome, unsent);
    if (outcome.kind === 'cancelled') return this.#endCancelled();
    const ending = await this.#final(outcome);
    return this.#stored ? this.#endStored(ending, unsent) : ending;
  }

  async #final(outcome: FinalOutcome): Promise<Ending> {
    return toEnding(this.#origin, await toResult(this.#call, 'session', outcome, this.#origin.http));
  }

  async #endStored(ending: Ending, unsent: readonly string[]): Promise<Ending> {
    let last = ending;
    if (!(await this.#store([...unsent, ...last.messages]))) {
      last = this.#broken === 'large' ? internalEnding(this.#origin) : NOTHING;
      if (!(await this.#store(last.messages))) return NOTHING;
    }
    await this.#save('ended', freshMemory(), last.messages.length);
    await this.#unlist();
    return last;
  }

  async #endCancelled(): Promise<Ending> {
    this.#cancelled = true;
    if (this.#stored) {
      await this.#save('cancelled', freshMemory());
      await this.#unlist();
    }
    return NOTHING;
  }

  /** Leaves the call to whoever brings the answers, or comes back for the rest. */
  async #park(outcome: Outcome & { kind: 'questions' | 'closed' }, unsent: readonly string[]): Promise<Ending> {
    const { core, http, session, request } = this.#origin;
    const now = nowMs(http.clock);
    this.#listed ||= await openStream(core, session, this.#log.id, request.id, now);
    if (!this.#listed) {
      const ending = toEnding(this.#origin, new RpcError(RPC.internalError, 'Too many parked calls'));
      return this.#stored ? this.#endStored(ending, unsent) : ending;
    }
    const questions = outcome.kind === 'questions' ? outcome.questions : [];
    const pending = questions.map(({ key, digest, request: asked }) => {
      return outcome.kind === 'questions' && outcome.returned ? { key, digest, asked } : { key, digest };
    });
    const messages = questions.map((question) => questionText(this.#log.id, question));
    const state = outcome.kind === 'questions' ? 'waiting' : 'open';
    const memory = this.#run.remember(outcome);
    if (!(await this.#storeParked(state, memory, pending, [...unsent, ...messages]))) {
      await this.#unlist();
      const ending = internalEnding(this.#origin);
      return this.#stored && this.#broken !== 'lost' ? this.#endStored(ending, unsent) : ending;
    }
    return { messages, status: 200, form: 'sse', trailer: retryFrame(retryAfter(core, 0)) };
  }

  async #storeParked(
    state: 'waiting' | 'open',
    memory: RunMemory,
    pending: StreamHead['pending'],
    messages: readonly string[],
  ) {
    try {
      await this.#log.append(messages);
      const saved = await this.#save(state, memory, messages.length, pending);
      this.#stored ||= saved;
      return saved;
    } catch (error) {
      return this.#breakOn(error);
    }
  }

  /** Stores messages under the next numbers; `false` when that cannot be. */
  async #store(messages: readonly string[]): Promise<boolean> {
    try {
      await this.#log.append(messages);
      return true;
    } catch (error) {
      return this.#breakOn(error);
    }
  }

  #breakOn(error: unknown): false {
    if (error instanceof TooLargeToStore) this.#broken = 'large';
    else if (error instanceof StreamLost) this.#broken = 'lost';
    else throw error;
    return false;
  }

  async #save(
    state: StreamHead['state'],
    memory: RunMemory,
    added = 0,
    pending: StreamHead['pending'] = [],
  ): Promise<boolean> {
    const { http, request, protocolVersion } = this.#origin;
    const { id, method, params } = request;
    const keep = state !== 'ended' && state !== 'cancelled';
    return this.#log.save({
      state,
      request: { id, method, params: keep ? params : undefined },
      protocolVersion,
      memory: packMemory(memory),
      pending,
      next: this.#log.next + added,
      lease: state === 'running' ? leaseOf(http) : 0,
      since: nowMs(http.clock),
    });
  }

  async #unlist(): Promise<void> {
    if (!this.#listed) return;
    this.#listed = false;
    await closeOpenStream(this.#origin.core, this.#origin.session, this.#log.id);
  }
}

const NOTHING: Ending = { messages: [], status: 200, form: 'any' };

/** A question as a request of ours; its id leads the answer back to the stream. */
export function questionText(stream: string, { key, request }: Question): string {
  return JSON.stringify({ jsonrpc: '2.0', id: `${stream}.${key}`, ...request });
}

const RETRY_STEPS: readonly (readonly [number, number])[] = [
  [5000, 500],
  [30_000, 2000],
];

/** How long a client waits before it looks again at a call that has been parked for `ageMs`. */
export function retryAfter({ settings }: Core, ageMs: number): number {
  return settings.retryMs ?? RETRY_STEPS.find(([age]) => ageMs < age)?.[1] ?? 5000;
}
