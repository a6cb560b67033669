import type { InputResponses, Json } from '../../protocol/types.js';

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
  readonly given?: Given | undefined;
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

/** The data of a call that has not run yet. */
export const NOTHING_RECORDED: PackedMemory = { a: [], s: [], i: [], e: [], c: 0, r: 0 };

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

export function unpackMemory(packed: PackedMemory, given?: Given): RunMemory {
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
