import { guardHook, isObject, logFailure } from '@sallyport/core/internal';
import { type McpRequest, nowMs, principalHash } from '../../http/internal/transport.js';
import { digestOf, randomText } from '../../internal/crypto.js';
import { own } from '../../protocol/internal/json-rpc.js';
import { RPC } from '../../protocol/internal/protocol.js';
import type { InputRequest, InputResponse, JsonObject } from '../../protocol/types.js';
import type { Call } from '../../run/internal/call.js';
import {
  MAX_PAUSED_MS,
  NOTHING_RECORDED,
  type PackedMemory,
  packMemory,
  type RunMemory,
  unpackMemory,
} from '../../run/internal/record.js';
import type { Paused } from '../../run/internal/run.js';
import { invalidParams, RpcError, tooLarge } from '../../server/errors.js';
import { loadSchemaCheck, type ServerData, storeOf } from '../../server/internal/server-data.js';
import { toTheEnd, withLastingStore } from '../../store/internal/lasting.js';
import { packText, unpackText } from '../../store/internal/row-text.js';
import { MAX_ROW_TEXT_BYTES, toTtl } from '../../store/store.js';

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
  server: ServerData,
  http: McpRequest,
  method: string,
  call: Call,
  params: JsonObject,
): Promise<RunMemory> {
  const responses = own(params, 'inputResponses');
  const token = own(params, 'requestState');
  if (responses !== undefined && !isObject(responses)) throw invalidParams('"inputResponses" must be an object');
  const answers = new Map(Object.entries(responses ?? {}));
  const state = token === undefined ? undefined : await openState(server, http, boundTo(http, method, call), token);
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
  const memory = state?.m ?? { ...NOTHING_RECORDED, r: 1 };
  return unpackMemory({ ...memory, i: inputs, e: [], c: 0 }, { answers, asked });
}

function toRequest([method, requestedSchema]: Returned): InputRequest {
  return { method, params: { requestedSchema } } as InputRequest;
}

async function openState(server: ServerData, http: McpRequest, bound: string, token: unknown): Promise<CarriedState> {
  const text = typeof token === 'string' ? await server.sealer.open('state', token, bound) : undefined;
  const opened = text === undefined ? undefined : (JSON.parse(text) as CarriedState | { readonly row: string });
  const state = opened && 'row' in opened ? await readStored(server, opened.row) : opened;
  if (!state || state.x <= nowMs(http.clock)) throw invalidParams('Invalid requestState');
  return state;
}

async function readStored({ settings }: ServerData, id: string): Promise<CarriedState | undefined> {
  const row = await settings.store?.get(stateKey(id));
  const text = row && (await unpackText(settings.spill, row));
  return text === undefined ? undefined : (JSON.parse(text) as CarriedState);
}

/**
 * The encrypted state for the next round, or the error if it cannot be kept. It always contains the questions, so that an answer is not
 * used for another question.
 */
export async function sealState(
  server: ServerData,
  http: McpRequest,
  method: string,
  call: Call,
  { questions, returned, memory }: Paused,
): Promise<string | RpcError> {
  const expiry = nowMs(http.clock) + MAX_PAUSED_MS;
  const state: CarriedState = {
    m: { ...packMemory(memory), i: [], e: [] },
    x: expiry,
    q: questions.map(({ key, digest, request }) => {
      if (!returned) return [key, digest];
      const schema = request.method === 'elicitation/create' ? request.params.requestedSchema : undefined;
      return [key, digest, schema === undefined ? [request.method] : [request.method, schema]];
    }),
  };
  const text = JSON.stringify(state);
  const bytes = Buffer.byteLength(text, 'utf8');
  const { store } = server.settings;
  const most = store ? server.maxKeptBytes : MAX_ROW_TEXT_BYTES;
  if (bytes > most) {
    guardHook(() => http.log.warn('mcp.too_large', { method, ...call.target.facts, what: 'state', bytes }));
    return tooLarge('state', bytes, most);
  }
  try {
    const isStored = store !== undefined && bytes > MAX_INLINE_BYTES;
    const carried = isStored ? JSON.stringify({ row: await storeState(server, http, text, expiry) }) : text;
    return await server.sealer.seal('state', carried, boundTo(http, method, call));
  } catch (error) {
    logFailure(() => http.log, 'mcp.state_not_kept', error, { method, ...call.target.facts });
    return new RpcError(RPC.internalError, 'The store failed', { code: 'mcp.store' }, 503);
  }
}

/** Stores a state that is too large for the client; returns the name of its row. */
async function storeState(server: ServerData, http: McpRequest, text: string, expiry: number): Promise<string> {
  const lasting = withLastingStore(server, http.clock, toTheEnd(http));
  const row = randomText(24);
  const data = await packText(lasting.settings.spill, text);
  await storeOf(lasting).put({ ...stateKey(row), version: 1, ttl: toTtl(expiry), data }, 'absent');
  return row;
}

function stateKey(id: string) {
  return { partition: `r#${id}`, sort: 'state' };
}
