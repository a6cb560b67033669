import { isObject } from '@sallyport/core/internal';
import { own } from '../../protocol/internal/json-rpc.js';
import type {
  AskKind,
  ClientCapabilities,
  InputRequest,
  InputResponses,
  Json,
  JsonObject,
} from '../../protocol/types.js';

/** The fields by which log records name a call. */
export type CallFacts = {
  /** The method of the request: `tools/call`. */
  readonly method: string;
  /** The kind of the registration: `tool`, `resource` or `prompt`. */
  readonly kind?: string;
  /** The registered name, URI or URI template. */
  readonly target?: string;
};

/** A question to the client with its key. */
export interface Question {
  readonly key: string;
  readonly digest: string;
  readonly request: InputRequest;
}

const KEY = /^[A-Za-z0-9_.-]{1,64}$/;
const KINDS = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
} as const satisfies Record<InputRequest['method'], AskKind>;

export function isQuestionKey(key: unknown): key is string {
  return typeof key === 'string' && KEY.test(key);
}

/** The kind of a method; `undefined` for a method that clients do not serve. */
export function askKindOf(request: InputRequest): AskKind | undefined {
  return Object.hasOwn(KINDS, request.method) ? KINDS[request.method] : undefined;
}

/** The missing capabilities of a client for a question, or `undefined` if it has them. */
export function missingCapability(
  capabilities: ClientCapabilities,
  request: InputRequest,
): ClientCapabilities | undefined {
  const kind = askKindOf(request);
  if (kind === undefined) return {};
  if (!isObject(capabilities[kind])) return { [kind]: {} };
  if (request.method === 'elicitation/create') {
    const { form, url } = capabilities.elicitation ?? {};
    const { mode = 'form' } = request.params;
    // A client that declares no mode supports forms (revision 2025-11-25, elicitation).
    const has = mode === 'url' ? url !== undefined : form !== undefined || url === undefined;
    return has ? undefined : { elicitation: { [mode]: {} } };
  }
  if (request.method !== 'sampling/createMessage' || request.params.tools === undefined) return undefined;
  return capabilities.sampling?.tools ? undefined : { sampling: { tools: {} } };
}

/** The kinds in a list that a client does not declare, as capabilities. */
export function missingKinds(
  capabilities: ClientCapabilities,
  kinds: readonly AskKind[],
): ClientCapabilities | undefined {
  const missing = kinds.filter((kind) => !isObject(own(capabilities as JsonObject, kind)));
  return missing.length === 0 ? undefined : Object.fromEntries(missing.map((kind) => [kind, {}]));
}

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
