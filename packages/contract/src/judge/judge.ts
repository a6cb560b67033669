import type { Expectation } from '../fixtures/fixture.js';
import { isJsonObject, type Json, type JsonObject } from '../fixtures/json.js';
import type { DoneMessage } from '../protocol/protocol.js';
import { compare, type Difference, difference, parseJson } from './compare.js';

/** A difference and its step; `null` for the fixture as a whole. */
export interface Failure extends Difference {
  /** Index of the step, from 0; `null` for the fixture as a whole. */
  readonly step: number | null;
}

const RECORDS = ['logs', 'failures', 'metrics', 'spans', 'calls'] as const;

/** Every difference between a runtime's answer and the fixture. */
export function judge(expected: Expectation, done: DoneMessage): Failure[] {
  const whole = (differences: Difference[]) => differences.map((found) => ({ step: null, ...found }));
  const construction = compareError(expected.construction_error, done.construction_error ?? undefined);
  const wanted = expected.steps ?? [];
  const count = compare(wanted.length, done.steps.length, '.steps.length');
  return [
    ...whole(construction),
    ...whole(count),
    ...wanted.flatMap((outcome, step) => {
      const found = done.steps[step];
      return found === undefined ? [] : judgeStep(outcome, found).map((failure) => ({ step, ...failure }));
    }),
    ...whole(findForbidden(expected.forbidden ?? [], done)),
  ];
}

function judgeStep(expected: JsonObject, found: JsonObject): Difference[] {
  return [
    ...judgeAnswer(expected, found),
    ...compare(expected.stream_error ?? null, found.stream_error ?? null, '.stream_error'),
    ...RECORDS.flatMap((part) => (part in expected ? compare(expected[part], found[part], `.${part}`) : [])),
  ];
}

function judgeAnswer(expected: JsonObject, found: JsonObject): Difference[] {
  if ('result' in expected) {
    if (found.error !== undefined) return [difference('.result', expected.result, { error: found.error })];
    return compare(expected.result, found.result ?? null, '.result');
  }
  if (isJsonObject(expected.response)) return compareResponse(expected.response, found);
  return compareError(asObject(expected.error), asObject(found.error), found);
}

function compareError(expected: JsonObject | undefined, found: JsonObject | undefined, outcome?: JsonObject) {
  if (expected === undefined && found === undefined) return [];
  if (expected === undefined || found === undefined) return [difference('.error', expected, found ?? outcome)];
  return ['message', 'code', 'details'].flatMap((key) =>
    key in expected ? compare(expected[key], found[key], `.error.${key}`) : [],
  );
}

function asObject(value: Json | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

function findForbidden(forbidden: readonly string[], done: DoneMessage): Difference[] {
  if (forbidden.length === 0) return [];
  // The message of an error may be in its log line; all other data is searched for the forbidden strings.
  const steps = done.steps.map((step) =>
    Object.fromEntries(Object.entries(step).filter(([part]) => part !== 'failures')),
  );
  const texts = allTexts({ steps, construction_error: done.construction_error });
  return forbidden
    .filter((word) => texts.some((text) => text.includes(word)))
    .map((word) => difference('.forbidden', { $absent: true }, word));
}

/** Every key and string, and the decoded text of base64 strings. */
function allTexts(value: Json): string[] {
  if (typeof value === 'string') return [value, ...decoded(value)];
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap(allTexts);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => [key, ...allTexts(member)]);
}

function decoded(text: string): string[] {
  const plausible = text.length >= 4 && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
  return plausible ? [Buffer.from(text, 'base64').toString()] : [];
}

/** An HTTP answer in the form that fixtures compare, for every front door. */
interface Answer {
  readonly status: Json;
  /** Lower-case names, lists of values. */
  readonly headers: JsonObject;
  readonly cookies: readonly Json[];
  readonly body: Buffer;
  readonly chunks: readonly Buffer[] | undefined;
}

/** Compares an outcome with an expected response. The native answer of a front door is first converted to a response. */
function compareResponse(expected: JsonObject, outcome: JsonObject): Difference[] {
  const path = '.response';
  const { response, result } = outcome;
  const answer = readResponse(outcome);
  if (answer === undefined) return [difference(path, expected, outcome.error ?? response ?? result)];
  return [
    ...compare(expected.status, answer.status, `${path}.status`),
    ...compare(expected.headers, answer.headers, `${path}.headers`),
    ...compare(expected.cookies ?? [], answer.cookies, `${path}.cookies`),
    ...compareBody(expected.body, answer.body, `${path}.body`),
    ...compareChunks(expected.chunks, answer.chunks, `${path}.chunks`),
  ];
}

/** The HTTP answer of an outcome in either form. */
export function readResponse({ response, result }: JsonObject): Answer | undefined {
  return isJsonObject(response) ? fromResponse(response) : fromNative(result);
}

function fromResponse(response: JsonObject): Answer {
  const { status = null, headers, cookies, body, chunks } = response;
  return {
    status,
    headers: isJsonObject(headers) ? headers : {},
    cookies: Array.isArray(cookies) ? cookies : [],
    body: toBytes(body),
    chunks: Array.isArray(chunks) ? (chunks as readonly Json[]).map(toBytes) : undefined,
  };
}

/** The response in a v1, v2, load balancer or WebSocket result; `undefined` for anything else. */
function fromNative(result: Json | undefined): Answer | undefined {
  if (!isJsonObject(result) || typeof result.statusCode !== 'number') return undefined;
  const lists = new Map<string, Json[]>();
  const add = (name: string, values: Json | undefined) => {
    const key = name.toLowerCase();
    lists.set(key, [...(lists.get(key) ?? []), ...(Array.isArray(values) ? values : [values ?? null])]);
  };
  for (const map of [result.headers, result.multiValueHeaders]) {
    if (isJsonObject(map)) for (const [name, values] of Object.entries(map)) add(name, values);
  }
  const { cookies, body, isBase64Encoded } = result;
  const setCookies = lists.get('set-cookie') ?? [];
  lists.delete('set-cookie');
  return {
    status: result.statusCode,
    headers: Object.fromEntries(lists),
    cookies: [...(Array.isArray(cookies) ? cookies : []), ...setCookies],
    body: Buffer.from(typeof body === 'string' ? body : '', isBase64Encoded === true ? 'base64' : 'utf8'),
    chunks: undefined,
  };
}

/** Bytes as the wire contains them: `{ base64 }`, or plain text. */
function toBytes(value: Json | undefined): Buffer {
  if (typeof value === 'string') return Buffer.from(value);
  const { base64, text } = isJsonObject(value) ? value : {};
  if (typeof base64 === 'string') return Buffer.from(base64, 'base64');
  return Buffer.from(typeof text === 'string' ? text : '');
}

function compareBody(expected: Json | undefined, body: Buffer, path: string): Difference[] {
  if (!isJsonObject(expected)) return compare('', body.toString(), path);
  if ('base64' in expected) return compare(expected.base64, body.toString('base64'), `${path}.base64`);
  if ('text' in expected) return compare(expected.text, body.toString(), `${path}.text`);
  const parsed = parseJson(body.toString());
  if (parsed === undefined) return [difference(`${path}.json`, expected.json, body.toString())];
  return compare(expected.json, parsed, `${path}.json`);
}

function compareChunks(expected: Json | undefined, chunks: readonly Buffer[] | undefined, path: string): Difference[] {
  if (expected === undefined) return [];
  const found = chunks?.map((chunk) => chunk.toString('base64'));
  const wanted = Array.isArray(expected)
    ? (expected as readonly Json[]).map((chunk) => toBytes(chunk).toString('base64'))
    : [];
  return compare(wanted, found, path);
}
