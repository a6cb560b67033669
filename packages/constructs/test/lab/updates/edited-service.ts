/** Synthesises a stack with a `Service` after an edit: its application is a file with the edited registrations, and its sources are changed. */
import { copyFileSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LoadedApplication } from '@sallyport/bundle';
import type { Stack } from 'aws-cdk-lib/core';
import { describeEntry } from '../../../src/function/bundle-function.js';
import { type Inventory, parseInventory, Source } from '../../../src/index.js';
import { SERVICE_PROPS } from '../../../src/service/service-props.js';
import { type Edit, keyOf, pick } from './edits.js';

/** The registrations of an entry file, as the service reads them. */
interface Application {
  readonly loaded: LoadedApplication;
  readonly inventory: Inventory;
}

/** The entry with the edited registrations. */
const ENTRY = 'src/lambda.ts';

/** Reads the application of a file. */
export function applicationIn(
  stack: Stack,
  environment: Readonly<Record<string, string>>,
  entry: string = ENTRY,
): Application {
  const { loaded } = describeEntry(stack, {
    entry,
    handler: 'handler',
    conditions: ['@sallyport/source'],
    environment,
  });
  if (loaded?.inventory === undefined) throw new Error(`${entry} has no application: ${loaded?.error}`);
  const { routes, triggers } = loaded.inventory;
  const { deployment } = loaded;
  return { loaded, inventory: parseInventory({ version: 1, container: 'secure', routes, triggers, deployment }) };
}

/** A file whose handler describes these registrations, and which reads the variables of the application. */
function entryWith(
  { routes, triggers }: Inventory,
  { deployment, format, read = [], missing = [], ...loaded }: LoadedApplication,
): string {
  const known = loaded.onlyWithPlaceholders ? read.filter((one) => !missing.includes(one)) : read;
  return `
const { routes, triggers, deployment } = ${JSON.stringify({ routes, triggers, deployment })};
for (const name of ${JSON.stringify(known)}) void process.env[name];
export const handler = async () => undefined;
const value = { routes: () => routes, triggers: () => triggers, openapi: () => null, uses: () => [], deployment };
Object.defineProperty(handler, Symbol.for('framework.inspect'), { value });
${format === 'json' || format === undefined ? '' : `handler[Symbol.for('sallyport.http.streamed-kind/1')] = ${JSON.stringify(format)};`}
`;
}

/** Files that stacks read. */
const FILES = ['infra/schema.graphql', 'src/schema.graphql', 'cdk.json'];

/** Writes a project with an edited application, from the project in the folder `from`, and with other entries, which no edit changes. */
export function writeEdited(
  from: string,
  folder: string,
  { inventory }: Edit,
  { loaded }: Application,
  others: Readonly<Record<string, Application>> = {},
): void {
  for (const name of ['src', 'infra']) mkdirSync(join(folder, name), { recursive: true });
  for (const name of FILES) if (existsSync(join(from, name))) copyFileSync(join(from, name), join(folder, name));
  writeFileSync(join(folder, ENTRY), entryWith(inventory, loaded));
  for (const [entry, other] of Object.entries(others)) {
    writeFileSync(join(folder, entry), entryWith(other.inventory, other.loaded));
  }
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  symlinkSync(join(from, 'node_modules'), join(folder, 'node_modules'));
}

type Make = (...given: readonly unknown[]) => Source;

/** The keys of sources by the function that makes them. */
const MAKERS: Readonly<Record<string, (first: never) => string>> = {
  queue: (name: string) => keyOf({ kind: 'queue', name }),
  tableStream: (name: string) => keyOf({ kind: 'table-stream', name }),
  kinesis: (name: string) => keyOf({ kind: 'stream', name }),
  topic: (name: string) => keyOf({ kind: 'topic', name }),
  s3: (name: string) => keyOf({ kind: 's3', name }),
  eventBus: (selector: object) => keyOf({ kind: 'event-bus', selector }),
  schedule: (ruleName: string) => keyOf({ kind: 'event-bus', selector: { ruleName } }),
};
/** The sources with the prop `id`. */
const WITH_ID = ['queue', 'kinesis', 'topic', 's3'];

/** Runs the code of a stack with the edit of its sources. */
export function withEdit(edit: Edit, run: () => void): void {
  const makers = Source as unknown as Record<string, Make>;
  const parser = SERVICE_PROPS as { parse: typeof SERVICE_PROPS.parse };
  const { parse } = parser;
  const saved = Object.fromEntries(Object.keys(MAKERS).map((name) => [name, makers[name] as Make]));
  const removed = new Set<Source>();
  for (const [name, toKey] of Object.entries(MAKERS)) {
    const make = (saved[name] as Make).bind(Source);
    makers[name] = (first, ...rest) => {
      const key = toKey(first as never);
      if (!edit.renamed.has(key)) return make(first, ...rest);
      const next = edit.renamed.get(key);
      if (next === undefined) {
        const source = make(first, ...rest);
        removed.add(source);
        return source;
      }
      if (typeof first !== 'string') return make(JSON.parse(next), ...rest);
      if (!edit.keeps || !WITH_ID.includes(name)) return make(next, ...rest);
      return make(next, { id: first, ...(rest[0] as object | undefined) });
    };
  }
  const added = edit.added?.() ?? [];
  parser.parse = (at, props) => {
    const parsed = parse.call(SERVICE_PROPS, at, props);
    if (parsed.entry !== ENTRY) return parsed;
    const kept = parsed.sources.filter((source) => !removed.has(source));
    return { ...parsed, sources: [...(edit.order ? pick(kept, edit.order) : kept), ...added] };
  };
  try {
    run();
  } finally {
    parser.parse = parse;
    Object.assign(makers, saved);
  }
}
