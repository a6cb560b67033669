import type { MaybePromise } from '@sallyport/core';
import { passesLevel } from '../../protocol/internal/protocol.js';
import type { InputResponses, Json, LogLevel } from '../../protocol/types.js';

/** What the client said to a question; without a value it answered with an error. */
export interface RecordedAnswer {
  readonly digest: string;
  readonly value?: unknown;
}

/** What a run knows of the runs of the same call before it. */
export interface RunMemory {
  readonly answers: Map<string, RecordedAnswer>;
  readonly steps: Map<string, Json>;
  /** Stateless era: answers of this request that have not been compared with their questions yet. */
  readonly given: ReadonlyMap<string, unknown>;
  readonly inputs: InputResponses;
  readonly state: Json | undefined;
  /** How many progress and log events were sent already. */
  readonly emitted: number;
  /** How often the stream was closed already. */
  readonly closes: number;
  /** Rounds of questions so far. */
  readonly round: number;
}

export const MAX_ROUNDS = 8;
export const MAX_QUESTIONS = 16;
export const MAX_RECORDED_BYTES = 256 * 1024;
/** How long a call waits for a person. */
export const MAX_PARKED_MS = 900_000;

/** The memory as JSON; maps as lists of pairs, so that no key can be special. */
export interface PackedMemory {
  readonly a: readonly (readonly [string, RecordedAnswer])[];
  readonly s: readonly (readonly [string, Json])[];
  readonly i?: readonly (readonly [string, unknown])[];
  readonly st?: Json | undefined;
  readonly e: number;
  readonly c: number;
  readonly r: number;
}

export const freshMemory = (): RunMemory => unpackMemory({ a: [], s: [], e: 0, c: 0, r: 0 });

export function packMemory(memory: RunMemory): PackedMemory {
  return {
    a: [...memory.answers],
    s: [...memory.steps],
    i: Object.entries(memory.inputs),
    st: memory.state,
    e: memory.emitted,
    c: memory.closes,
    r: memory.round,
  };
}

export function unpackMemory(packed: PackedMemory, given: ReadonlyMap<string, unknown> = new Map()): RunMemory {
  const inputs: Record<string, never> = Object.create(null);
  for (const [key, value] of packed.i ?? []) inputs[key] = value as never;
  return {
    answers: new Map(packed.a),
    steps: new Map(packed.s),
    given,
    inputs,
    state: packed.st,
    emitted: packed.e,
    closes: packed.c,
    round: packed.r,
  };
}

const NO_INPUTS: InputResponses = Object.freeze(Object.create(null) as InputResponses);

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
  /** Events that earlier runs have sent: the handler emits them again. */
  #toSkip: number;
  #emitted: number;
  #closes = 0;

  constructor(memory: RunMemory) {
    this.memory = memory;
    this.#toSkip = memory.emitted;
    this.#emitted = memory.emitted;
  }

  /** Sends an event of the handler, unless an earlier run sent it. */
  emit(event: RunEvent): void {
    if (this.#toSkip > 0) {
      this.#toSkip -= 1;
      return;
    }
    this.#emitted += 1;
    this.send(event);
  }

  /** Sends a message that no replay counts. */
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
    if (!events.some(({ level }) => level !== undefined)) return events.map(({ json }) => json);
    const least = await logLevel();
    return events
      .filter(({ level }) => level === undefined || (least !== undefined && passesLevel(level, least)))
      .map(({ json }) => json);
  }

  /** Counts a close of the stream; `false` when an earlier run closed it here. */
  close(): boolean {
    this.#closes += 1;
    return this.#closes > this.memory.closes;
  }

  /** Records the value of a step as JSON, and returns it as a replay would get it. */
  recordStep(name: string, value: Json): Json {
    const json = JSON.stringify(value) ?? 'null';
    this.memory.steps.set(name, JSON.parse(json) as Json);
    return JSON.parse(json) as Json;
  }

  /** Bytes of what would be stored if the run stopped here. */
  bytes(state: Json | undefined): number {
    return Buffer.byteLength(JSON.stringify({ ...packMemory(this.memory), st: state }), 'utf8');
  }

  /** What the next run must know; `asked` when this one ends with questions. */
  remember(asked: { readonly state: Json | undefined } | undefined): RunMemory {
    return {
      ...this.memory,
      given: new Map(),
      inputs: asked ? NO_INPUTS : this.memory.inputs,
      state: asked ? asked.state : this.memory.state,
      emitted: this.#emitted,
      closes: this.#closes,
      round: this.memory.round + (asked ? 1 : 0),
    };
  }
}
