import type { InputResponses, Json } from '../../protocol/types.js';

/** What the client said to a question; without a value it answered with an error. */
export interface RecordedAnswer {
  readonly digest: string;
  readonly value?: unknown;
}

/** What a run knows of the runs of the same call before it. */
export interface RunMemory {
  readonly answers: Map<string, RecordedAnswer>;
  readonly steps: Map<string, Json>;
  /** Stateless era: answers of this request, not yet held against their questions. */
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
