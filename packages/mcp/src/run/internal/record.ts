import type { MaybePromise } from '@sallyport/core';
import { passesLevel } from '../../protocol/internal/protocol.js';
import type { InputResponses, Json, LogLevel } from '../../protocol/types.js';
import { hashText } from '../../store/internal/crypto.js';

/** What the client said to a question; without a value it answered with an error, or with more than can be kept. */
export interface RecordedAnswer {
  readonly digest: string;
  readonly value?: unknown;
  /** Whether the answer was left out for its size. */
  readonly large?: boolean;
}

/** What came of a step; `shown` when the failure was a McpToolError. */
export type RecordedStep =
  | { readonly value: Json }
  | { readonly failed: { readonly name: string; readonly message: string; readonly shown?: true } };

/** What the client brings to a run of the stateless era, before it is compared with the questions. */
export interface Given {
  readonly answers: ReadonlyMap<string, unknown>;
  /** Digests of the questions that were asked, by key; `undefined` when the client brings no state that says so. */
  readonly asked: ReadonlyMap<string, string> | undefined;
}

/** What a run knows of the runs of the same call before it. */
export interface RunMemory {
  readonly answers: Map<string, RecordedAnswer>;
  readonly steps: Map<string, RecordedStep>;
  /** Stateless era: answers of this request that have not been compared with their questions yet. */
  readonly given: Given;
  readonly inputs: InputResponses;
  readonly state: Json | undefined;
  /** Digests of the progress and log events that were sent outside steps, and how often each. */
  readonly sent: ReadonlyMap<string, number>;
  /** How often the stream was closed already. */
  readonly closes: number;
  /** Rounds of questions so far. */
  readonly round: number;
}

export const MAX_ROUNDS = 8;
export const MAX_QUESTIONS = 16;
/** How long a call waits for a person. */
export const MAX_PARKED_MS = 900_000;

/** The memory as JSON; maps as lists of pairs, so that no key can be special. */
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

/** The memory of a first run. */
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

/** 48 bits tell the events of one call apart. */
const EVENT_DIGEST_LENGTH = 8;

/** An event on its way to the client. */
export interface RunEvent {
  readonly json: string;
  readonly level?: LogLevel;
}

/** What one run sends and records: events, steps, answers. It starts with what earlier runs of the call recorded. */
export class RunRecord {
  readonly memory: RunMemory;
  /** Called whenever an event is there to be taken. */
  onEvent: (() => void) | undefined;
  #events: RunEvent[] = [];
  /** Events that earlier runs have sent and the handler has not emitted again so far. */
  readonly #unseen: Map<string, number>;
  /** All that were sent, by this run and the earlier ones. */
  readonly #sent: Map<string, number>;
  #closes = 0;
  /** The client's log level; if it is in the store it is read once. */
  #level: Promise<LogLevel | undefined> | undefined;
  /** Whether what waits must not wait for more. */
  isUrgent = false;

  constructor(memory: RunMemory) {
    this.memory = memory;
    this.#unseen = new Map(memory.sent);
    this.#sent = new Map(memory.sent);
  }

  /**
   * Sends an event of the handler that a replay emits again, unless an earlier run sent the same. Told by its text and not by
   * its place: branches of a handler may come in another order.
   */
  emit(event: RunEvent): void {
    const digest = hashText(event.json).slice(0, EVENT_DIGEST_LENGTH);
    const unseen = this.#unseen.get(digest) ?? 0;
    if (unseen > 0) this.#unseen.set(digest, unseen - 1);
    else {
      this.#sent.set(digest, (this.#sent.get(digest) ?? 0) + 1);
      this.send(event);
    }
  }

  /** Sends a message that no replay emits again. */
  send(event: RunEvent): void {
    this.#events.push(event);
    this.onEvent?.();
  }

  /** Whether events wait to be taken. */
  get hasEvents(): boolean {
    return this.#events.length > 0;
  }

  /** Takes the events so far, as JSON texts; those below the client's level are left out. */
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

  /** Counts a close of the stream; `false` when an earlier run closed it here. */
  close(): boolean {
    this.#closes += 1;
    return this.#closes > this.memory.closes;
  }

  /** Bytes of what would be stored if the run stopped here. */
  bytes(state: Json | undefined): number {
    return Buffer.byteLength(JSON.stringify({ ...packMemory(this.memory), st: state }), 'utf8');
  }

  /** What the next run must know; `asked` when this one ends with questions. */
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
