import { isObject } from '@sallyport/core/internal';
import { own } from '../../protocol/internal/json-rpc.js';
import type { AskKind, ClientCapabilities, InputRequest, JsonObject } from '../../protocol/types.js';
import { digestOf } from '../../store/internal/crypto.js';

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

export function toQuestion(key: string, request: InputRequest): Question {
  return { key, request, digest: digestOf(request) };
}

/** The missing capabilities of a client for a question, or `undefined` if it has them. */
export function missingCapability(
  capabilities: ClientCapabilities,
  request: InputRequest,
): ClientCapabilities | undefined {
  const kind = askKindOf(request);
  if (kind === undefined) return {};
  if (!isObject(capabilities[kind])) return { [kind]: {} };
  if (request.method === 'elicitation/create') return missingMode(capabilities.elicitation ?? {}, request.params.mode);
  if (request.method !== 'sampling/createMessage' || request.params.tools === undefined) return undefined;
  return capabilities.sampling?.tools ? undefined : { sampling: { tools: {} } };
}

/** A client that declares no mode supports forms (revision 2025-11-25, elicitation). */
function missingMode(
  declared: NonNullable<ClientCapabilities['elicitation']>,
  mode: 'form' | 'url' = 'form',
): ClientCapabilities | undefined {
  const has = mode === 'url' ? declared.url !== undefined : declared.form !== undefined || declared.url === undefined;
  return has ? undefined : { elicitation: { [mode]: {} } };
}

/** The kinds in a list that a client does not declare, as capabilities. */
export function missingKinds(
  capabilities: ClientCapabilities,
  kinds: readonly AskKind[],
): ClientCapabilities | undefined {
  const missing = kinds.filter((kind) => !isObject(own(capabilities as JsonObject, kind)));
  return missing.length === 0 ? undefined : Object.fromEntries(missing.map((kind) => [kind, {}]));
}
