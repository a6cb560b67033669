import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { projectOf } from '../config/load.js';
import { stateFolderOf } from '../config/state-folder.js';
import { usageError } from '../errors.js';
import { cleanText } from '../journal/cleaner.js';
import type { SendRequest, SendResult } from '../send/send.js';
import { findType } from '../sources/source-types.js';
import type { SourceView } from '../sources/sources.js';
import { type Flag, type Parsed, parseArguments } from './arguments.js';
import { type Around, EXIT } from './around.js';
import { readEvent } from './ask.js';
import { needRunning, type Running } from './running.js';

export const SEND_FLAGS: Readonly<Record<string, Flag>> = {
  data: {
    type: 'text',
    help: 'the body, the message or the options of the builder: JSON, @file, or - for standard input',
  },
  door: {
    type: 'text',
    multiple: true,
    help: 'for http: gateway-v2 (HTTP API, the default), gateway-v1 (REST API), load-balancer or function-url',
  },
  as: { type: 'text', help: 'the subject of a token of the local issuer, sent with the event' },
  scope: { type: 'text', multiple: true, help: 'a scope of that token' },
  tenant: { type: 'text', help: 'the tenant of that token' },
  wait: { type: 'boolean', help: 'wait until every record succeeds or is a dead letter' },
  json: { type: 'boolean', help: 'print one JSON object per line' },
};

/** `sallyport send <kind> <target>` and `sallyport send <file|->`. */
export async function send(args: readonly string[], around: Around): Promise<number> {
  const parsed = parseArguments(args, SEND_FLAGS);
  const request = await toRequest(parsed, around);
  const running = await needRunning(stateFolderOf(projectOf(around.cwd)));
  const result = (await running.post('/api/send', request)) as SendResult;
  print(result, parsed, around);
  if (parsed.values.wait && result.recordIds.length > 0) return settle(running, request, result, around);
  return result.invocations.every(({ outcome }) => outcome.ok) ? EXIT.ok : EXIT.failed;
}

async function toRequest({ positionals, values }: Parsed, around: Around): Promise<SendRequest> {
  const [first, ...rest] = positionals;
  if (first === undefined)
    throw usageError(
      'name what to send: sallyport send http "GET /notes", sallyport send queue orders --data \'{"id":1}\', or a file',
    );
  const as = values.as === undefined ? {} : { as: { sub: values.as as string, ...claimsOf(values) } };
  if (rest.length === 0) return { kind: 'event', options: await readEvent(first, around), ...as };
  const data = values.data === undefined ? undefined : await readData(values.data as string, around);
  const doors = values.door === undefined ? {} : { doors: values.door as readonly string[] };
  return { kind: first, target: rest.join(' '), ...optionsOf(first, data), ...doors, ...as };
}

function claimsOf({ scope, tenant }: Parsed['values']) {
  return {
    ...(scope === undefined ? {} : { scopes: scope as readonly string[] }),
    ...(tenant === undefined ? {} : { tenant: tenant as string }),
  };
}

/** Data with a member that only the builder has is its options; other data is the body. */
function optionsOf(kind: string, data: unknown): { readonly options?: unknown } {
  if (data === undefined) return {};
  const member = kind === 'http' ? 'json' : findType(kind)?.data;
  const isOptions = typeof data === 'object' && data !== null && (member === undefined || member in data);
  return { options: isOptions ? data : { [member as string]: data } };
}

async function readData(given: string, around: Around): Promise<unknown> {
  const text =
    given === '-'
      ? await around.input()
      : given.startsWith('@')
        ? readFileSync(resolve(around.cwd, given.slice(1)), 'utf8')
        : given;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function print(result: SendResult, { values }: Parsed, { out }: Around): void {
  // `--reveal` is for the page alone.
  const { invocations, recordIds } = { ...result, invocations: result.invocations.map(cleanText) };
  if (values.json) {
    for (const { door, outcome, client } of invocations)
      out(`${JSON.stringify({ type: 'sent', door, outcome, client })}\n`);
    if (recordIds.length > 0) out(`${JSON.stringify({ type: 'sent', recordIds })}\n`);
    return;
  }
  for (const { door, outcome, client } of invocations) {
    const begin = door === null ? '' : `${door}  `;
    if (client) out(`${begin}${client.status}\n${client.body === '' ? '' : `${client.body}\n`}`);
    else if (outcome.ok) out(`${begin}${JSON.stringify(outcome.answer, null, 2)}\n`);
    else out(`${begin}failed: ${outcome.error.errorType}: ${outcome.error.errorMessage}\n`);
  }
  if (recordIds.length > 0) out(`sent ${recordIds.join(', ')}; the console shows the outcome, or add --wait\n`);
}

const ASK_MS = 200;

/** Waits until the source has released every record. */
async function settle(
  running: Running,
  { kind, target }: SendRequest,
  { recordIds }: SendResult,
  { out, signal }: Around,
): Promise<number> {
  for (;;) {
    const sources = (await running.get('/api/sources')) as readonly SourceView[];
    const source = sources.find((one) => one.kind === kind && one.name === target);
    const open = source?.records.filter(({ id }) => recordIds.includes(id)) ?? [];
    const dead = source?.deadLetters.filter(({ id }) => recordIds.includes(id)) ?? [];
    const filtered = source?.filtered.latest.filter(({ id }) => recordIds.includes(id)) ?? [];
    if (open.length === 0) {
      if (filtered.length > 0) out(`filtered: ${filtered.map(({ id }) => id).join(', ')}\n`);
      out(dead.length === 0 ? 'done\n' : `dead letters: ${dead.map(({ id }) => id).join(', ')}\n`);
      return dead.length === 0 ? EXIT.ok : EXIT.failed;
    }
    if (signal.aborted) return EXIT.failed;
    await wait(ASK_MS);
  }
}
