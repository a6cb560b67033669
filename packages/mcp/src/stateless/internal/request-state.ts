import { guardHook, isObject } from '@sallyport/core/internal';
import { type McpRequest, nowMs } from '../../http/internal/exchange.js';
import { own } from '../../protocol/internal/json-rpc.js';
import type { InputRequest, InputResponse, JsonObject } from '../../protocol/types.js';
import type { Question } from '../../run/internal/ask.js';
import type { Call } from '../../run/internal/call.js';
import {
  freshMemory,
  MAX_PAUSED_MS,
  type PackedMemory,
  packMemory,
  type RunMemory,
  unpackMemory,
} from '../../run/internal/record.js';
import { invalidParams, tooLarge } from '../../server/errors.js';
import { type Core, loadSchemaCheck, principalHash } from '../../server/internal/core.js';
import { digestOf, randomText } from '../../store/internal/crypto.js';
import { bytesOf, keptBytes, packText, unpackText } from '../../store/internal/row-text.js';
import { toTtl } from '../../store/store.js';

/** The encrypted state that a client sends from one round of questions to the next. */
interface CarriedState {
  readonly m: PackedMemory;
  /** Epoch milliseconds. */
  readonly x: number;
  /** The questions: key and digest of each. A question that the handler returned also has the form for its answer. */
  readonly q: readonly (readonly [key: string, digest: string, returned?: Returned])[];
}

/** The parts of a question that check its answer. */
type Returned = readonly [method: InputRequest['method'], schema?: object];

/** Larger states are stored instead of sent. */
const MAX_INLINE_BYTES = 16 * 1024;

/** A state is bound to the caller, the method, the name and the arguments. */
function boundTo(http: McpRequest, method: string, call: Call): string {
  return JSON.stringify([principalHash(http), method, call.name, digestOf(call.args)]);
}

/**
 * The data of a retry: the decrypted state, and the valid answers.
 *
 * @throws RpcError -32602 for a modified or expired state, a state of another call, and malformed answers
 */
export async function readRetry(
  core: Core,
  http: McpRequest,
  method: string,
  call: Call,
  params: JsonObject,
): Promise<RunMemory> {
  const responses = own(params, 'inputResponses');
  const token = own(params, 'requestState');
  if (responses === undefined && token === undefined) return freshMemory();
  if (responses !== undefined && !isObject(responses)) throw invalidParams('"inputResponses" must be an object');
  const answers = new Map(Object.entries(responses ?? {}));
  const state = token === undefined ? undefined : await openState(core, http, boundTo(http, method, call), token);
  const asked = state && new Map(state.q.map(([key, digest]) => [key, digest]));
  const returned = new Map(state?.q.map(([key, , expected]) => [key, expected]));
  const inputs: [string, InputResponse][] = [];
  const { checkAnswer, isInputResponse } = await loadSchemaCheck();
  for (const [key, raw] of answers) {
    const expected = returned.get(key);
    const answer = expected ? checkAnswer(toRequest(expected), raw) : raw;
    if (isInputResponse(answer)) inputs.push([key, answer]);
  }
  // Answers without a state belong to the first round, in which the keys of the questions come from the client.
  const memory = state?.m ?? { ...packMemory(freshMemory()), r: 1 };
  return unpackMemory({ ...memory, i: inputs, e: [], c: 0 }, { answers, asked });
}

function toRequest([method, requestedSchema]: Returned): InputRequest {
  return { method, params: { requestedSchema } } as InputRequest;
}

async function openState(core: Core, http: McpRequest, bound: string, token: unknown): Promise<CarriedState> {
  const text = typeof token === 'string' ? await core.sealer.open('state', token, bound) : undefined;
  const opened = text === undefined ? undefined : (JSON.parse(text) as CarriedState | { readonly row: string });
  const state = opened && 'row' in opened ? await readStored(core, opened.row) : opened;
  if (!state || state.x <= nowMs(http.clock)) throw invalidParams('Invalid requestState');
  return state;
}

async function readStored({ settings }: Core, id: string): Promise<CarriedState | undefined> {
  const row = await settings.store?.get(stateKey(id));
  const text = row && (await unpackText(settings.spill, row));
  return text === undefined ? undefined : (JSON.parse(text) as CarriedState);
}

/**
 * The encrypted state for the next round. It always contains the questions, so that an answer is not used for another question.
 *
 * @throws RpcError if it is too large
 */
export async function sealState(
  core: Core,
  http: McpRequest,
  method: string,
  call: Call,
  memory: RunMemory,
  questions: readonly Question[],
  returned: boolean,
): Promise<string> {
  const packed = { ...packMemory(memory), i: [], e: [] };
  const expiry = nowMs(http.clock) + MAX_PAUSED_MS;
  const state: CarriedState = { m: packed, x: expiry, q: questions.map((question) => toAsked(question, returned)) };
  const text = JSON.stringify(state);
  const bound = boundTo(http, method, call);
  const { store, spill } = core.settings;
  const bytes = bytesOf(text);
  const most = keptBytes(store && spill);
  if (bytes > most) {
    guardHook(() => http.log.warn('mcp.too_large', { target: call.name, what: 'state', bytes }));
    throw tooLarge('state', bytes, most);
  }
  if (bytes <= MAX_INLINE_BYTES || !store) return core.sealer.seal('state', text, bound);
  const row = randomText(24);
  await store.put({ ...stateKey(row), version: 1, ttl: toTtl(expiry), data: await packText(spill, text) }, 'absent');
  return core.sealer.seal('state', JSON.stringify({ row }), bound);
}

function toAsked({ key, digest, request }: Question, returned: boolean): CarriedState['q'][number] {
  if (!returned) return [key, digest];
  const schema = request.method === 'elicitation/create' ? request.params.requestedSchema : undefined;
  return [key, digest, schema === undefined ? [request.method] : [request.method, schema]];
}

function stateKey(id: string) {
  return { partition: `r#${id}`, sort: 'state' };
}
