import type { MaybePromise } from '@sallyport/core';
import { sha256Url } from '@sallyport/core/internal';
import { passesLevel } from '../../protocol/internal/protocol.js';
import type { InputResponses, Json, LogLevel } from '../../protocol/types.js';

/**
 * The client's answer to a question. It has no value if the client answered with an error, or with more data than can be stored.
 */
export interface RecordedAnswer {
  readonly digest: string;
  readonly value?: unknown;
  /** True if the answer was left out for its size. */
  readonly large?: boolean;
}

/** The outcome of a step; `shown` is true when the failure was a McpToolError. */
export type RecordedStep =
  | { readonly value: Json }
  | { readonly failed: { readonly name: string; readonly message: string; readonly shown?: true } };

/** The client's answers in the stateless era, before they are compared with the questions. */
export interface Given {
  readonly answers: ReadonlyMap<string, unknown>;
  /** Digests of the sent questions, by key; `undefined` if the client sends no state. */
  readonly asked: ReadonlyMap<string, string> | undefined;
}

/** The recorded data of earlier runs of the same call. */
export interface RunMemory {
  readonly answers: Map<string, RecordedAnswer>;
  readonly steps: Map<string, RecordedStep>;
  /** Stateless era: answers of this request that have not been compared with their questions yet. */
  readonly given: Given;
  readonly inputs: InputResponses;
  readonly state: Json | undefined;
  /** Digests of the progress and log events that were sent outside steps, and how often each. */
  readonly sent: ReadonlyMap<string, number>;
  /** The number of times that the handler closed the stream. */
  readonly closes: number;
  /** Rounds of questions so far. */
  readonly round: number;
}

export const MAX_ROUNDS = 8;
export const MAX_QUESTIONS = 16;
/** Milliseconds for which a call waits for a user's answer. */
export const MAX_PAUSED_MS = 900_000;

/** The recorded data as JSON. Maps are lists of pairs, so that a key such as `__proto__` has no special meaning. */
export interface PackedMemory {
  readonly a: readonly (readonly [string, RecordedAnswer])[];
  readonly s: readonly (readonly [string, RecordedStep])[];
  readonly i?: readonly (readonly [string, unknown])[];
  readonly st?: Json | undefined;
  readonly e: readonly (readonly [string, number])[];
  readonly c: number;
  readonly r: number;
}

const NOTHING_GIVEN: Given = { answers: new Map(), asked: undefined };
const NO_INPUTS: InputResponses = Object.freeze(Object.create(null) as InputResponses);
const NOTHING_SENT: ReadonlyMap<string, number> = new Map();

/** The data of a first run: empty. */
export function freshMemory(): RunMemory {
  return {
    answers: new Map(),
    steps: new Map(),
    given: NOTHING_GIVEN,
    inputs: NO_INPUTS,
    state: undefined,
    sent: NOTHING_SENT,
    closes: 0,
    round: 0,
  };
}

export function packMemory(memory: RunMemory): PackedMemory {
  return {
    a: [...memory.answers],
    s: [...memory.steps],
    i: Object.entries(memory.inputs),
    st: memory.state,
    e: [...memory.sent],
    c: memory.closes,
    r: memory.round,
  };
}

export function unpackMemory(packed: PackedMemory, given: Given = NOTHING_GIVEN): RunMemory {
  const inputs: Record<string, never> = Object.create(null);
  for (const [key, value] of packed.i ?? []) inputs[key] = value as never;
  return {
    answers: new Map(packed.a),
    steps: new Map(packed.s),
    given,
    inputs,
    state: packed.st,
    sent: new Map(packed.e),
    closes: packed.c,
    round: packed.r,
  };
}

/** 48 bits are enough to distinguish the events of one call. */
const EVENT_DIGEST_LENGTH = 8;

/** An event that is to be sent to the client. */
export interface RunEvent {
  readonly json: string;
  readonly level?: LogLevel;
}

/** The events, steps and answers that one run sends and records. It starts with the data of earlier runs of the call. */
export class RunRecord {
  readonly memory: RunMemory;
  /** Called for each new event. */
  onEvent: (() => void) | undefined;
  #events: RunEvent[] = [];
  /** Events of earlier runs that the handler has not emitted again yet. */
  readonly #unseen: Map<string, number>;
  /** All events that this run and the earlier runs have sent. */
  readonly #sent: Map<string, number>;
  #closes = 0;
  /** The client's log level. If it is in the store, it is read once. */
  #level: Promise<LogLevel | undefined> | undefined;
  /** True if the waiting events must be written immediately. */
  isUrgent = false;

  constructor(memory: RunMemory) {
    this.memory = memory;
    this.#unseen = new Map(memory.sent);
    this.#sent = new Map(memory.sent);
  }

  /**
   * Sends an event of the handler that a replay emits again, unless an earlier run has sent it. It is recognized by its content and
   * not by its position, because parallel branches of a handler can emit in another order.
   */
  emit(event: RunEvent): void {
    const digest = sha256Url(event.json).slice(0, EVENT_DIGEST_LENGTH);
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

  /** True if events are waiting. */
  get hasEvents(): boolean {
    return this.#events.length > 0;
  }

  /** Removes and returns the waiting events as JSON; events below the client's level are left out. */
  async takeEvents(logLevel: () => MaybePromise<LogLevel | undefined>): Promise<string[]> {
    const events = this.#events;
    this.#events = [];
    this.isUrgent = false;
    if (!events.some(({ level }) => level !== undefined)) return events.map(({ json }) => json);
    this.#level ??= Promise.resolve(logLevel());
    const least = await this.#level;
    return events
      .filter(({ level }) => level === undefined || (least !== undefined && passesLevel(level, least)))
      .map(({ json }) => json);
  }

  /** Counts a close of the stream; `false` if an earlier run closed it here. */
  close(): boolean {
    this.#closes += 1;
    return this.#closes > this.memory.closes;
  }

  /** The size of the stored data if the run stopped here, in bytes. */
  bytes(state: Json | undefined): number {
    return Buffer.byteLength(JSON.stringify({ ...packMemory(this.memory), st: state }), 'utf8');
  }

  /** The data for the next run; `asked` if this run ends with questions. */
  remember(asked: { readonly state: Json | undefined } | undefined): RunMemory {
    return {
      ...this.memory,
      given: NOTHING_GIVEN,
      inputs: asked ? NO_INPUTS : this.memory.inputs,
      state: asked ? asked.state : this.memory.state,
      sent: this.#sent,
      closes: this.#closes,
      round: this.memory.round + (asked ? 1 : 0),
    };
  }
}
