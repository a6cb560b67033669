import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toInspection } from '../src/internal/inspect/to-inspection.js';
import { formsOf } from '../src/internal/send/forms.js';
import { sampleOf } from '../src/internal/send/sample.js';
import { sampleOptions, withSamples } from '../src/internal/send/samples.js';

test.each<[string, object, unknown]>([
  [
    'an object has all members',
    { type: 'object', properties: { id: { type: 'string' }, n: { type: 'integer' } } },
    { id: 'text', n: 1 },
  ],
  ['a type can be left out', { properties: { ok: { type: 'boolean' } } }, { ok: true }],
  ['an example is taken', { type: 'string', examples: ['o-1'] }, 'o-1'],
  ['a default is taken', { type: 'integer', default: 7 }, 7],
  ['a constant is taken', { const: 'order' }, 'order'],
  ['the first choice is taken', { enum: ['paid', 'open'] }, 'paid'],
  ['a format has its form', { type: 'string', format: 'date-time' }, '2026-01-31T12:00:00Z'],
  ['a string is long enough', { type: 'string', minLength: 6 }, 'textxx'],
  ['a string is short enough', { type: 'string', maxLength: 2 }, 'te'],
  ['a number is in its bounds', { type: 'number', minimum: 10, maximum: 20 }, 10],
  ['a number is below its bound', { type: 'integer', exclusiveMaximum: 0 }, -1],
  ['a number is above its bound', { type: 'integer', exclusiveMinimum: 4 }, 5],
  ['a number is a multiple', { type: 'integer', minimum: 10, multipleOf: 8 }, 16],
  ['a list has the members that it needs', { type: 'array', items: { type: 'boolean' }, minItems: 2 }, [true, true]],
  ['a tuple has its members', { type: 'array', prefixItems: [{ type: 'string' }, { type: 'null' }] }, ['text', null]],
  ['of several types, null is not taken', { type: ['null', 'string'] }, 'text'],
  ['of several schemas, null is not taken', { anyOf: [{ type: 'null' }, { type: 'boolean' }] }, true],
  [
    'all parts are joined',
    { allOf: [{ properties: { a: { type: 'boolean' } } }], properties: { b: { type: 'boolean' } } },
    { a: true, b: true },
  ],
  ['a reference is followed', { $ref: '#/$defs/a~1b', $defs: { 'a/b': { type: 'boolean' } } }, true],
  ['a reference to nothing is null', { $ref: '#/$defs/none' }, null],
])('a sample of a schema: %s', (_title, schema, expected) => {
  expect(sampleOf(schema)).toEqual(expected);
});

test('a schema that contains itself has an end', () => {
  const list = { $ref: '#/$defs/list', $defs: { list: { properties: { next: { $ref: '#/$defs/list' } } } } };
  expect(JSON.stringify(sampleOf(list)).length).toBeLessThan(200);
});

describe('forms have samples for their targets', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sallyport-samples-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const ORDER = { type: 'object', properties: { id: { type: 'string' }, total: { type: 'integer', minimum: 5 } } };
  const OPENAPI = {
    paths: {
      '/notes': {
        get: {},
        post: { requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Note' } } } } },
      },
      '/notes/{id}': {
        get: { parameters: [{ name: 'id', in: 'path', schema: { type: 'integer', minimum: 7 } }] },
        put: { requestBody: { content: { 'application/json': { example: { text: 'text' } } } } },
      },
    },
    components: { schemas: { Note: { type: 'object', properties: { text: { type: 'string' } } } } },
  };

  const NOTES = {
    TableName: 'notes',
    AttributeDefinitions: [
      { AttributeName: 'id', AttributeType: 'S' },
      { AttributeName: 'at', AttributeType: 'N' },
    ],
    KeySchema: [
      { AttributeName: 'id', KeyType: 'HASH' },
      { AttributeName: 'at', KeyType: 'RANGE' },
    ],
  };

  async function forms() {
    writeFileSync(
      join(folder, 'schema.graphql'),
      'input Filter { since: AWSDate!, tags: [String!] } enum Kind { A B } type Query { note(id: ID!, kind: Kind): String, all(filter: Filter): [String], none: String }',
    );
    const inspection = toInspection(
      {
        isOurs: true,
        streaming: false,
        routes: [
          { surface: 'websocket', webSocketRouteKey: 'order', payload: ORDER },
          { surface: 'websocket', webSocketRouteKey: '$connect' },
        ],
        triggers: [
          { kind: 'queue', name: 'orders', payload: ORDER },
          { kind: 'queue', name: 'plain' },
          { kind: 'stream', name: 'clicks', payload: ORDER },
          { kind: 'topic', name: 'news', payload: ORDER },
          { kind: 'event-bus', selector: { scheduleName: 'nightly' }, payload: ORDER },
          { kind: 'event-bus', selector: { ruleName: 'hourly' }, payload: ORDER },
          { kind: 'event-bus', selector: { source: 'billing', detailType: 'Paid' }, payload: ORDER },
          { kind: 'event-bus', selector: { source: 'shop' } },
        ],
      },
      { explain: async () => null, openapi: async () => OPENAPI, contract: async () => [] },
    );
    const sources = { schedules: { hourly: { expression: 'rate(1 hour)', input: { shop: 7 } } } };
    const host = {
      config: { schema: join(folder, 'schema.graphql'), sources },
      inspection: () => inspection,
      tables: [NOTES],
    };
    return withSamples(formsOf(inspection, []), host);
  }

  it.each<[string, string, object | undefined]>([
    ['http', 'POST /notes', { json: { text: 'text' } }],
    ['http', 'GET /notes', undefined],
    ['http', 'GET /notes/{id}', { pathParameters: { id: '7' } }],
    ['http', 'PUT /notes/{id}', { pathParameters: { id: 'text' }, json: { text: 'text' } }],
    ['queue', 'orders', { body: { id: 'text', total: 5 } }],
    ['queue', 'plain', undefined],
    ['stream', 'clicks', { json: { id: 'text', total: 5 } }],
    ['topic', 'news', { message: { id: 'text', total: 5 } }],
    ['event-bus', 'default', { detail: { id: 'text', total: 5 }, source: 'billing', detailType: 'Paid' }],
    ['event-bus', '{"source":"shop"}', { source: 'shop' }],
    ['event-bus', '{"scheduleName":"nightly"}', undefined],
    ['schedule', 'nightly', { detail: { id: 'text', total: 5 } }],
    ['schedule', 'hourly', { detail: { shop: 7 } }],
    ['websocket', 'order', { body: { id: 'text', total: 5 } }],
    ['websocket', '$connect', undefined],
    ['table-stream', 'notes', { eventName: 'INSERT', keys: { id: 'text', at: 1 }, newImage: { id: 'text', at: 1 } }],
    ['appsync', 'Query.note', { arguments: { id: '1', kind: 'A' } }],
    ['appsync', 'Query.all', { arguments: { filter: { since: '2026-01-31', tags: ['text'] } } }],
    ['appsync', 'Query.none', undefined],
  ])('%s %s', async (kind, target, expected) => {
    const form = (await forms()).find((one) => one.kind === kind);
    expect(form && sampleOptions(form, target)).toEqual(expected);
  });
});
