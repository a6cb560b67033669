import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fromJson, isObject } from '@sallyport/core/internal';
import { projectOf } from '../config/load.js';
import { stateFolderOf } from '../config/state-folder.js';
import type { InvocationRow, SendForm } from '../console/api.js';
import { usageError } from '../errors.js';
import { cleanText } from '../journal/cleaner.js';
import type { Failure } from '../journal/failure-record.js';
import type { InvocationRecord } from '../journal/journal.js';
import { sampleOptions } from '../send/samples.js';
import type { SendRequest, SendResult } from '../send/send.js';
import { findType } from '../sources/source-types.js';
import type { SourceView } from '../sources/sources.js';
import { type Flag, type Parsed, parseArguments } from './arguments.js';
import { type Around, EXIT } from './around.js';
import { readEvent } from './ask.js';
import { failureText } from './failure-lines.js';
import { clockTime } from './lines.js';
import { needRunning, type Running } from './running.js';

export const SEND_FLAGS: Readonly<Record<string, Flag>> = {
  data: {
    type: 'text',
    help: 'the body, message, detail or arguments: JSON or text, @file, or - for standard input',
  },
  sample: { type: 'boolean', help: 'send a sample that fits the schema of the handler, and print it' },
  options: { type: 'text', help: 'options of the builder of the test kit: a JSON object, @file, or -' },
  door: {
    type: 'text',
    multiple: true,
    help: 'for http: gateway-v2 (HTTP API, the default), gateway-v1 (REST API), load-balancer or function-url',
  },
  as: { type: 'text', help: 'the subject of a token of the local issuer, sent with the event' },
  scope: { type: 'text', multiple: true, help: 'a scope of that token' },
  tenant: { type: 'text', help: 'the tenant of that token' },
  alias: { type: 'text', help: 'the alias that is invoked, the qualifier of `invokedFunctionArn`' },
  wait: { type: 'boolean', help: 'wait until every record succeeds or is a dead letter' },
  json: { type: 'boolean', help: 'print one JSON object per line' },
};

/** `sallyport send <kind> <target>` and `sallyport send <file|->`. */
export async function send(args: readonly string[], around: Around): Promise<number> {
  const parsed = parseArguments(args, SEND_FLAGS);
  const given = await toRequest(parsed, around);
  const running = await needRunning(stateFolderOf(projectOf(around.cwd)));
  const request = parsed.values.sample ? await withSample(running, given, around) : given;
  const result = (await running.post('/api/send', request)) as SendResult;
  const failures = await failuresOf(running, result);
  print(result, failures, parsed, around);
  if (parsed.values.wait && result.recordIds.length > 0) return settle(running, request, result, around);
  return result.invocations.every(({ outcome }) => outcome.ok) ? EXIT.ok : EXIT.failed;
}

/** @throws FrameworkError `local.usage` if the handler has no schema, or if `--data` is given too */
async function withSample(running: Running, request: SendRequest, { out }: Around): Promise<SendRequest> {
  const { kind, target = '', options } = request;
  const forms = (await running.get('/api/forms')) as readonly SendForm[];
  const form = forms.find((one) => one.kind === kind);
  const sample = form && sampleOptions(form, target);
  if (sample === undefined) {
    const known = Object.keys(form?.samples ?? {});
    const which = known.length === 0 ? 'no handler of this kind has a schema' : `samples exist for ${known.join(', ')}`;
    throw usageError(`--sample: the ${kind} ${JSON.stringify(target)} has no schema; ${which}: pass --data`);
  }
  out(`sample  ${JSON.stringify(sample)}\n`);
  return { ...request, options: { ...sample, ...(options as object | undefined) } };
}

async function toRequest({ positionals, values }: Parsed, around: Around): Promise<SendRequest> {
  const [first, ...rest] = positionals;
  if (first === undefined)
    throw usageError(
      'name what to send: sallyport send http "GET /notes", sallyport send queue orders --data \'{"id":1}\', or a file',
    );
  const as = values.as === undefined ? {} : { as: { sub: values.as as string, ...claimsOf(values) } };
  const alias = values.alias === undefined ? {} : { alias: values.alias as string };
  const isTrigger = await isTriggerKind(first);
  if (rest.length === 0 && !isTrigger) {
    return { kind: 'event', options: await readEvent(first, around), ...as, ...alias };
  }
  const options = await readOptions(values.options as string | undefined, around);
  const payload =
    values.data === undefined
      ? {}
      : payloadOf(isTrigger ? 'event' : first, await readData(values.data as string, around));
  const isGiven = values.data !== undefined || values.options !== undefined;
  const doors = values.door === undefined ? {} : { doors: values.door as readonly string[] };
  return {
    kind: first,
    target: rest.join(' '),
    ...(isGiven && { options: { ...options, ...payload } }),
    ...doors,
    ...as,
    ...alias,
  };
}

/** True for the kind of an opt-in trigger; a file with the same name is sent as `./lex`. The catalogue is loaded only for words. */
async function isTriggerKind(word: string): Promise<boolean> {
  if (!/^[a-z][a-z\d-]*$/.test(word) || word === 'http') return false;
  const { CATALOGUE } = await import('@sallyport/triggers/catalogue');
  return Object.hasOwn(CATALOGUE, word);
}

function claimsOf({ scope, tenant }: Parsed['values']) {
  return {
    ...(scope === undefined ? {} : { scopes: scope as readonly string[] }),
    ...(tenant === undefined ? {} : { tenant: tenant as string }),
  };
}

/** The builder option that contains the payload, for kinds that are not sources. */
const PAYLOADS: Readonly<Record<string, string>> = {
  http: 'json',
  websocket: 'body',
  appsync: 'arguments',
  event: 'event',
};

/** Data is the payload, regardless of its members. */
function payloadOf(kind: string, data: unknown): Readonly<Record<string, unknown>> {
  if (kind === 'http' && typeof data === 'string') return { body: data };
  const member = PAYLOADS[kind] ?? findType(kind)?.data;
  if (member === undefined) throw usageError(`--data: an event of the kind ${kind} has no payload: use --options`);
  return { [member]: data };
}

async function readOptions(given: string | undefined, around: Around): Promise<Readonly<Record<string, unknown>>> {
  if (given === undefined) return {};
  const options = await readData(given, around);
  if (!isObject(options)) throw usageError('--options must be a JSON object');
  return options;
}

async function readData(given: string, around: Around): Promise<unknown> {
  const text =
    given === '-'
      ? await around.input()
      : given.startsWith('@')
        ? readFileSync(resolve(around.cwd, given.slice(1)), 'utf8')
        : given;
  // Only objects and lists: a number or a word is the same text as JSON.
  const value = fromJson(text);
  return typeof value === 'object' && value !== null ? value : text;
}

type Failures = ReadonlyMap<number, readonly Failure[]>;

/** Log lines of a failure reach the run at most this many milliseconds after the response. */
const LATE_LINES_MS = 100;

/** The failures of invocations that ended badly, by the number of the invocation. */
async function failuresOf(running: Running, { invocations }: SendResult): Promise<Failures> {
  const found = new Map<number, readonly Failure[]>();
  const isBad = ({ outcome, client }: SendResult['invocations'][number]) => !outcome.ok || (client?.status ?? 0) >= 400;
  const bad = invocations.filter(isBad);
  if (bad.length > 0) await wait(LATE_LINES_MS);
  for (const { outcome } of bad) {
    const { failures } = (await running.get(`/api/invocations/${outcome.id}`)) as InvocationRecord;
    found.set(outcome.id, failures);
  }
  return found;
}

function print(result: SendResult, all: Failures, { values }: Parsed, { out }: Around): void {
  // `--reveal` is for the page alone.
  const { invocations, recordIds } = { ...result, invocations: result.invocations.map(cleanText) };
  if (values.json) {
    for (const { door, outcome, client } of invocations)
      out(
        `${JSON.stringify({ type: 'sent', door, outcome, client, failures: cleanText(all.get(outcome.id) ?? []) })}\n`,
      );
    if (recordIds.length > 0) out(`${JSON.stringify({ type: 'sent', recordIds })}\n`);
    return;
  }
  for (const { door, outcome, client } of invocations) {
    const begin = door === null ? '' : `${door}  `;
    if (client) out(`${begin}${client.status}\n${client.body === '' ? '' : `${client.body}\n`}`);
    else if (outcome.ok) out(`${begin}${JSON.stringify(outcome.answer, null, 2)}\n`);
    else if (!all.has(outcome.id)) out(`${begin}failed: ${outcome.error.errorType}: ${outcome.error.errorMessage}\n`);
    else out(`${begin}failed\n`);
    for (const failure of all.get(outcome.id) ?? []) out(failureText(failure, '  '));
  }
  if (recordIds.length > 0)
    out(`sent ${recordIds.join(', ')}${values.wait ? '' : '; the console shows the outcome, or add --wait'}\n`);
}

const ASK_MS = 200;
/** After so many questions a command that waits prints the state of its records, and then each change. */
const QUIET_QUESTIONS = 10;

/** Waits until the source has released every record. */
async function settle(
  running: Running,
  { kind, target }: SendRequest,
  { recordIds }: SendResult,
  { out, signal }: Around,
): Promise<number> {
  let said = '';
  for (let questions = 0; ; questions += 1) {
    const sources = (await running.get('/api/sources')) as readonly SourceView[];
    const source = sources.find((one) => one.kind === kind && one.name === target);
    const open = source?.records.filter(({ id }) => recordIds.includes(id)) ?? [];
    const dead = source?.deadLetters.filter(({ id }) => recordIds.includes(id)) ?? [];
    const filtered = source?.filtered.latest.filter(({ id }) => recordIds.includes(id)) ?? [];
    if (open.length === 0) {
      if (filtered.length > 0) out(`filtered: ${filtered.map(({ id }) => id).join(', ')}\n`);
      out(dead.length === 0 ? 'done\n' : `dead letters: ${dead.map(({ id }) => id).join(', ')}\n`);
      if (dead.length > 0) await printReasons(running, recordIds, out);
      return dead.length === 0 ? EXIT.ok : EXIT.failed;
    }
    if (signal.aborted) return EXIT.failed;
    const text = open.map((record) => waitingText(record, source?.maxDeliveries ?? 0)).join('; ');
    if (questions >= QUIET_QUESTIONS && text !== said) {
      out(`waiting: ${text}\n`);
      said = text;
    }
    await wait(ASK_MS);
  }
}

/** `m-1 delayed until 12:00:30, delivery 1 of 3`. */
function waitingText({ id, state, deliveries, until }: SourceView['records'][number], most: number): string {
  return `${id} ${state}${until === null ? '' : ` until ${clockTime(until)}`}, delivery ${deliveries} of ${most}`;
}

/** The failures of the last invocation that received these records. */
async function printReasons(running: Running, recordIds: readonly string[], out: Around['out']): Promise<void> {
  await wait(LATE_LINES_MS);
  const rows = (await running.get('/api/invocations')) as readonly InvocationRow[];
  const last = rows.findLast(({ origin }) => origin.recordIds?.some((id) => recordIds.includes(id)));
  for (const failure of last?.failures ?? []) out(failureText(failure, '  '));
}
