import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as stable from '@opentelemetry/semantic-conventions';
import * as incubating from '@opentelemetry/semantic-conventions/incubating';
import { scrubFreeText } from '@sallyport/core/observability';
import { toOtlpJson } from '../src/encoding/json.js';
import { encode } from '../src/encoding/protobuf.js';
import { SCHEMA_URL, TRACES, toTraces } from '../src/encoding/traces.js';
import type { SpanTree } from '../src/testing.js';
import { EVENTS, SENDER, serviceOfAllSurfaces } from './support/service.js';
import { RESOURCE, SCOPE } from './support/spans.js';

const LAMBDA = { awsRequestId: 'r-1', invokedFunctionArn: 'arn:aws:lambda:eu-west-1:123456789012:function:notes' };
const WORK = { name: 'work', children: [] };
const of = (name: string, ...children: SpanTree[]): SpanTree => ({ name, children });

/** The spans of one event of each surface, the kind of the root, and some attributes. */
const SURFACES: Readonly<Record<keyof typeof EVENTS, readonly [SpanTree, number, object]>> = {
  http: [of('GET /notes/{id}', WORK), 2, { 'http.route': '/notes/{id}' }],
  graphql: [of('Query.note', WORK), 2, { 'graphql.operation.type': 'query', 'sallyport.graphql.field': 'note' }],
  websocket: [of('say', WORK), 2, { 'messaging.operation.type': 'process' }],
  mcp: [of('POST /mcp', of('tools/call add', WORK)), 2, { 'http.route': '/mcp' }],
  queue: [of('orders process', of('orders process', WORK)), 5, { 'messaging.system': 'aws_sqs' }],
  stream: [of('clicks process', of('clicks process', WORK)), 5, { 'messaging.system': 'aws_kinesis' }],
  'table-stream': [of('notes', of('notes', WORK)), 5, { 'faas.trigger': 'datasource' }],
  topic: [of('news process', WORK), 5, { 'messaging.system': 'aws_sns' }],
  'event-bus': [of('source=billing detailType=InvoicePaid', WORK), 5, { 'sallyport.event.detail_type': 'InvoicePaid' }],
  s3: [of('uploads', WORK), 5, { 'sallyport.event.source': 'uploads' }],
};

it.each(Object.entries(SURFACES))(
  '%s has one trace with a span of the handler',
  async (name, [tree, kind, attributes]) => {
    const { app, spans } = serviceOfAllSurfaces();
    await app.handleLambda(EVENTS[name as keyof typeof EVENTS], LAMBDA);
    expect(spans.tree()).toEqual([tree]);
    expect(new Set(spans.spans.map(({ traceId }) => traceId)).size).toBe(1);
    expect(spans.spans.at(-1)).toMatchObject({ kind, attributes });
  },
);

/** Surfaces whose events have no place for the trace of a sender. */
const WITHOUT_SENDER = ['stream', 'table-stream', 's3'];

it.each(Object.keys(SURFACES).filter((name) => !WITHOUT_SENDER.includes(name)))(
  '%s has a link to its sender',
  async (name) => {
    const { app, spans } = serviceOfAllSurfaces();
    await app.handleLambda(EVENTS[name as keyof typeof EVENTS], LAMBDA);
    const linked = spans.spans.flatMap(({ links }) => links.map(({ traceId }) => traceId));
    expect(linked).toEqual([SENDER.traceId]);
  },
);

it('names tool and method of an MCP call', async () => {
  const { app, spans } = serviceOfAllSurfaces();
  await app.handleLambda(EVENTS.mcp, LAMBDA);
  expect(spans.spans.find(({ name }) => name === 'tools/call add')).toMatchObject({
    kind: 2,
    attributes: { 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': 'add', 'mcp.protocol.version': '2026-07-28' },
  });
});

const PAGE = readFileSync('docs/tracing.md', 'utf8');
/** The table of attributes: name and state. */
const DOCUMENTED = new Map(
  [...PAGE.matchAll(/^\| `([\w.]+)` \| (stable|development|own) \|/gm)].map(([, name = '', state = '']) => [
    name,
    state,
  ]),
);
const namesOf = (registry: object) =>
  new Set(Object.entries(registry).flatMap(([key, name]) => (key.startsWith('ATTR_') ? [name as string] : [])));
const STABLE = namesOf(stable);
const ALL = namesOf(incubating);

const stateOf = (name: string) => (STABLE.has(name) ? 'stable' : ALL.has(name) ? 'development' : 'own');

describe('the names of attributes', () => {
  it('have the state of the registry in docs/tracing.md', () => {
    expect([...DOCUMENTED].filter(([name, state]) => stateOf(name) !== state)).toEqual([]);
    expect([...DOCUMENTED.keys()].filter((name) => stateOf(name) === 'own' && !name.startsWith('sallyport.'))).toEqual(
      [],
    );
  });

  it('are all in docs/tracing.md', async () => {
    const { app, spans } = serviceOfAllSurfaces();
    for (const event of Object.values(EVENTS)) await app.handleLambda(event, LAMBDA);
    const used = spans.spans.flatMap(({ attributes, events }) => [
      ...Object.keys(attributes),
      ...events.flatMap((event) => Object.keys(event.attributes)),
    ]);
    expect([...new Set(used)].filter((name) => !DOCUMENTED.has(name))).toEqual([]);
  });

  it('belong to the version of the conventions that is installed', () => {
    const { version } = JSON.parse(
      readFileSync('packages/otel/node_modules/@opentelemetry/semantic-conventions/package.json', 'utf8'),
    );
    expect(SCHEMA_URL).toBe(`https://opentelemetry.io/schemas/${version}`);
  });
});

it('exports no secret of the events of the fixtures', async () => {
  const { app, spans } = serviceOfAllSurfaces();
  const events = [...Object.values(EVENTS), ...eventsOf('contract-fixtures')];
  expect(events.length).toBeGreaterThan(100);
  for (const event of events) await app.handleLambda(event, LAMBDA).catch(() => {});
  expect(spans.spans.length).toBeGreaterThan(50);
  const traces = toTraces(RESOURCE, SCOPE, spans.spans);
  const json = spans.spans.map((span) => toOtlpJson(toTraces(RESOURCE, SCOPE, [span])));
  // The sanitizer of the recorder: it would replace a secret.
  expect(json.filter((text) => scrubFreeText(text) !== text)).toEqual([]);
  expect(Buffer.from(encode(TRACES, traces)).toString('latin1')).not.toMatch(/Bearer |password|authorization/i);
});

function eventsOf(folder: string): object[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
    .flatMap((entry) => {
      const { input } = JSON.parse(readFileSync(join(entry.parentPath, entry.name), 'utf8'));
      const steps: readonly { readonly event?: unknown }[] = input?.steps ?? [];
      return steps.flatMap(({ event }) => (typeof event === 'object' && event !== null ? [event] : []));
    });
}
