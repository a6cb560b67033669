import type { Outcome } from './invoke.js';

/** One value that differs. */
export interface Finding {
  /** `status`, `headers.content-type`, `body.items[0].id`, `result.batchItemFailures`, `failure`. */
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** Headers of the connection, and of the moment. */
const MOMENTARY = ['headers.date', 'headers.connection', 'headers.keep-alive', 'headers.content-length'];
/** Ids of one request in error bodies and headers. */
const IDS = /(?:^|\.)(?:request_?id|trace_?id|timestamp|x-request-id|x-amzn-requestid)$/i;
/** Characters of a value in a report. */
const SHOWN = 200;

/** Compares two results: answers of HTTP by status, headers, cookies and body, other results unchanged. */
export function findingsOf(before: Outcome, after: Outcome, ignored: readonly string[]): readonly Finding[] {
  const found: Finding[] = [];
  collect('', viewOf(before), viewOf(after), found);
  return found.filter(({ path }) => !isIgnored(path, ignored));
}

function isIgnored(path: string, ignored: readonly string[]): boolean {
  if (MOMENTARY.includes(path) || IDS.test(path)) return true;
  return ignored.some((one) => path === one || path.startsWith(`${one}.`) || path.startsWith(`${one}[`));
}

function viewOf(outcome: Outcome): Readonly<Record<string, unknown>> {
  if ('failure' in outcome) return { failure: outcome.failure };
  const { result } = outcome;
  if (typeof result !== 'object' || result === null || !('statusCode' in result)) return { result };
  const { statusCode, headers, multiValueHeaders, cookies, body, isBase64Encoded } = result as Readonly<
    Record<string, unknown>
  >;
  const all: Record<string, unknown> = {};
  for (const part of [headers, multiValueHeaders]) {
    for (const [name, value] of Object.entries((part ?? {}) as object)) {
      all[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : String(value);
    }
  }
  const given = typeof body === 'string' ? body : '';
  const text = isBase64Encoded === true ? Buffer.from(given, 'base64').toString('utf8') : given;
  return { status: statusCode, headers: all, cookies: cookies ?? [], body: parsed(text) };
}

/** JSON as its value, so that white space and order do not matter; other bodies as text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function collect(path: string, before: unknown, after: unknown, found: Finding[]): void {
  if (Object.is(before, after)) return;
  const isBoth = isContainer(before) && isContainer(after) && Array.isArray(before) === Array.isArray(after);
  if (!isBoth) {
    found.push({ path, before: show(before), after: show(after) });
    return;
  }
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const inner = Array.isArray(before) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
    collect(inner, before[key], after[key], found);
  }
}

function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function show(value: unknown): string {
  const text = value === undefined ? 'absent' : (JSON.stringify(value) ?? String(value));
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
