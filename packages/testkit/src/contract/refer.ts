import { parseJson } from './compare.js';
import { isJsonObject, type Json, type JsonObject } from './json.js';
import { readResponse } from './response.js';

/** A value of an earlier step's answer: a header's first value, or a place in the JSON body. */
interface Reference {
  readonly step: number;
  readonly header?: string;
  readonly json?: readonly (string | number)[];
}

const FORM = '$from';

/**
 * A step's data with every `{ "$from": … }` replaced by what earlier steps answered. The runtime does this right before
 * it makes a call, since only it has the answers by then.
 *
 * @throws Error for a reference that finds nothing
 *
 * @example refer(step, outcomes);
 */
export function refer(value: Json, outcomes: readonly JsonObject[]): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => refer(item, outcomes));
  if (!isJsonObject(value)) return value;
  if (Object.hasOwn(value, FORM)) return find(value[FORM] as unknown as Reference, outcomes);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, refer(member, outcomes)]));
}

function find({ step, header, json }: Reference, outcomes: readonly JsonObject[]): Json {
  const answer = readResponse(outcomes[step] ?? {});
  const headers = answer?.headers ?? {};
  const values = header !== undefined && Object.hasOwn(headers, header) ? headers[header] : undefined;
  const found = header === undefined ? memberAt(parseJson(answer?.body.toString() ?? ''), json ?? []) : first(values);
  if (found === undefined) throw new Error('$from finds nothing');
  return found;
}

function first(values: Json | undefined): Json | undefined {
  return Array.isArray(values) ? (values[0] as Json | undefined) : undefined;
}

function memberAt(value: Json | undefined, path: readonly (string | number)[]): Json | undefined {
  let found: unknown = value;
  for (const key of path) {
    const isInside = typeof found === 'object' && found !== null && Object.hasOwn(found, key);
    found = isInside ? (found as Record<string | number, unknown>)[key] : undefined;
  }
  return found as Json | undefined;
}

/** What is wrong with the references of a fixture's steps: their form, and steps that have not been yet. */
export function referenceProblems(steps: readonly unknown[]): string[] {
  return steps.flatMap((step, index) => problemsIn(step as Json, index));
}

function problemsIn(value: Json, index: number): string[] {
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap((item) => problemsIn(item, index));
  if (!isJsonObject(value)) return [];
  if (!Object.hasOwn(value, FORM)) return Object.values(value).flatMap((member) => problemsIn(member, index));
  if (Object.keys(value).length > 1) return [`${FORM} stands beside other keys`];
  const reference = value[FORM] ?? null;
  if (!isReference(reference)) return [`${FORM} needs a step and a header or a json path`];
  return reference.step < index ? [] : [`${FORM} of step ${index} names step ${reference.step}`];
}

function isReference(value: unknown): value is Reference {
  if (!isJsonObject(value)) return false;
  const { step, header, json } = value;
  const isStep = typeof step === 'number' && Number.isInteger(step) && step >= 0;
  const isPlace =
    typeof header === 'string' ? header === header.toLowerCase() : Array.isArray(json) && json.every(isKey);
  return isStep && isPlace && Object.keys(value).length === 2;
}

function isKey(value: unknown): boolean {
  return typeof value === 'string' || Number.isInteger(value);
}
