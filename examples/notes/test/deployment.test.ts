/** The assembly of `npm run synth`, and its bundle: run in a separate process, with the tables of the template in DynamoDB Local. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { createLocalClient, dynamodbEndpoint } from '@sallyport/dynamodb-local';
import {
  buildAPIGatewayV2Request,
  buildAppSyncEvent,
  buildEventBusEvent,
  buildKinesisEvent,
  buildQueueEvent,
  buildScheduledEvent,
  buildTableStreamEvent,
  buildTopicEvent,
  buildWebSocketEvent,
} from '@sallyport/testkit';
import { buildInvocation } from '@sallyport/triggers';
import { buildS3Event } from '@sallyport/triggers/testing';
import { Assembly } from './assembly.js';

const folder = mkdtempSync(join(tmpdir(), 'notes-assembly-'));
let assembly: Assembly;
beforeAll(() => {
  assembly = new Assembly(folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

const arn = (service: string, resource: string) => `arn:aws:${service}:eu-west-1:123456789012:${resource}`;

it('has a stack of at most 30 lines', () => {
  const text = readFileSync(new URL('../infra/notes-stack.ts', import.meta.url), 'utf8');
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
});

it('attaches every registration to one source, and sets what the code reads', () => {
  const count = (type: string) => Object.values(assembly.resources).filter(({ Type }) => Type === type).length;
  expect(count('AWS::Lambda::EventSourceMapping')).toBe(5);
  expect(count('AWS::SNS::Subscription')).toBe(2);
  expect(count('AWS::Events::Rule')).toBe(2);
  expect(count('AWS::AppSync::Resolver')).toBe(3);
  expect(Object.keys(assembly.variables()).sort()).toEqual(VARIABLES);
});

it('has a durable function for exports, which waits two days and whose alias receives the topic', () => {
  const exports = assembly.resources[assembly.idOf('AWS::Lambda::Function', 'Exports')];
  expect(exports?.Properties).toMatchObject({
    DurableConfig: { ExecutionTimeout: 172_800, RetentionPeriodInDays: 14 },
    Environment: { Variables: { FRAMEWORK_DURABLE: '1', NOTES_BUCKET: expect.anything() } },
  });
  const alias = assembly.idOf('AWS::Lambda::Alias', 'Exports');
  const endpoints = Object.values(assembly.resources)
    .filter(({ Type }) => Type === 'AWS::SNS::Subscription')
    .map(({ Properties }) => Properties.Endpoint);
  expect(endpoints).toContainEqual({ Ref: alias });
});

/** One event of each trigger, and the expected response of the bundle. */
function eventsOf(): readonly (readonly [name: string, event: unknown, answer: unknown])[] {
  const { FRAMEWORK_EVENT_SOURCES: sources = '' } = assembly.variables();
  const { queue: queues, topic, s3: buckets, rule } = JSON.parse(sources) as Record<string, Record<string, string>>;
  const table = arn(
    'dynamodb',
    `table/${assembly.idOf('AWS::DynamoDB::Table', 'Notes')}/stream/2026-11-22T00:00:00.000`,
  );
  const done = { batchItemFailures: [] };
  return [
    ['HTTP', buildAPIGatewayV2Request('GET', '/health'), { statusCode: 200 }],
    ['HTTP without token', buildAPIGatewayV2Request('GET', '/notes'), { statusCode: 401 }],
    ['MCP without token', buildAPIGatewayV2Request('POST', '/mcp'), { statusCode: 401 }],
    [
      'MCP metadata',
      buildAPIGatewayV2Request('GET', '/.well-known/oauth-protected-resource/mcp'),
      { body: expect.stringContaining('"resource":"https://notes.example.com/mcp"') },
    ],
    [
      'GraphQL without token',
      buildAppSyncEvent({ parentTypeName: 'Query', fieldName: 'note', arguments: { id: 'note-1' } }),
      { framework_error: true, error_info: { code: 'app.unauthorized' } },
    ],
    ['WebSocket without token', buildWebSocketEvent({ routeKey: '$connect' }), { statusCode: 401 }],
    ['reminders', buildQueueEvent(arn('sqs', queues?.reminders ?? ''), [{ body: '{"noteId":"note-1"}' }]), done],
    [
      'orders, once for two deliveries',
      buildQueueEvent(arn('sqs', queues?.orders ?? ''), [{ body: '{"id":"o-1"}' }]),
      done,
    ],
    ['ledger.fifo', buildQueueEvent(arn('sqs', queues?.['ledger.fifo'] ?? ''), [{ body: '{"amount":5}' }]), done],
    ['notes', buildTableStreamEvent(table, [{ eventName: 'INSERT', keys: { id: 'n' } }]), done],
    [
      'clicks, with the sequence number of what failed',
      buildKinesisEvent(arn('kinesis', `stream/${assembly.idOf('AWS::Kinesis::Stream')}`), [
        { data: 'no JSON', kinesis: { sequenceNumber: '49590338271490256608559692538361571095' } },
      ]),
      { batchItemFailures: [{ itemIdentifier: '49590338271490256608559692538361571095' }] },
    ],
    [
      'announcements',
      buildTopicEvent(arn('sns', topic?.announcements ?? ''), [{ message: '{"text":"hello"}' }]),
      [{ read: true }],
    ],
    [
      'InvoicePaid',
      buildEventBusEvent({ source: 'billing', detailType: 'InvoicePaid', detail: { invoice: 'i-7' } }),
      { paid: 'i-7' },
    ],
    [
      'nightly-cleanup',
      buildScheduledEvent({ rule: rule?.['nightly-cleanup'] ?? '' }),
      { kind: 'scheduled', result: { status: 'ok' } },
    ],
    ['uploads', buildS3Event(buckets?.uploads ?? '', [{ key: 'notes/note-1/a.txt' }]), null],
    [
      'import-notes, which writes to the table',
      buildInvocation('import-notes', { authorId: 'ada', notes: [{ title: 'Milk', text: 'one litre' }] }),
      { added: [expect.stringMatching(/^[0-9a-f-]{36}$/)] },
    ],
  ];
}

const VARIABLES = [
  'FRAMEWORK_EMBEDDING_DIMENSIONS',
  'FRAMEWORK_EMBEDDING_MODEL_ID',
  'FRAMEWORK_EVENT_SOURCES',
  'FRAMEWORK_JOBS_TABLE_NAME',
  'FRAMEWORK_MCP_SECRET_ARN',
  'FRAMEWORK_MCP_TABLE_NAME',
  'FRAMEWORK_RATE_LIMIT_TABLE_NAME',
  'FRAMEWORK_STREAM_FAILURE_IDENTIFIER',
  'FRAMEWORK_VECTOR_DIMENSION',
  'FRAMEWORK_VECTOR_INDEX_ARN',
  'FRAMEWORK_WEBSOCKET_CONNECTIONS_TABLE_NAME',
  'FRAMEWORK_WEBSOCKET_ENDPOINT',
  'NOTES_AUDIENCE',
  'NOTES_BUCKET',
  'NOTES_ISSUER',
  'NOTES_JWKS_URI',
  'NOTES_PUBLIC_URL',
  'NOTES_TABLE',
];

it('answers one event of each trigger from the bundle', async () => {
  const client = await createLocalClient();
  await Promise.all(assembly.tables().map((table) => client.send(new CreateTableCommand(table))));
  const events = eventsOf();
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [fileURLToPath(new URL('run-bundle.mjs', import.meta.url)), assembly.bundle],
    {
      input: events.map(([, event]) => JSON.stringify(event)).join('\n'),
      encoding: 'utf8',
      env: {
        ...assembly.variables(),
        FRAMEWORK_VECTOR_INDEX_ARN: arn('s3vectors', 'bucket/notes/index/search'),
        AWS_ENDPOINT_URL_DYNAMODB: await dynamodbEndpoint(),
        AWS_ACCESS_KEY_ID: 'local',
        AWS_SECRET_ACCESS_KEY: 'local',
        AWS_REGION: 'us-east-1',
        // On Node 20 the SDK warns about the Node versions that it will require.
        AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
      },
    },
  );
  const answers = [...stdout.matchAll(/^answer (.*)$/gm)].map(([, answer = '']) => answer);
  expect(`${answers.length} ${stderr.slice(-500)}`).toBe(`${events.length} `);
  for (const [index, [name, , answer]] of events.entries()) {
    const given: unknown = JSON.parse(answers[index] ?? '');
    expect({ name, answer: given }).toEqual({ name, answer: containing(answer) });
  }
});

/** Every expected member, at any depth. */
function containing(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null || 'asymmetricMatch' in answer) return answer;
  if (Array.isArray(answer)) return answer.map(containing);
  return expect.objectContaining(
    Object.fromEntries(Object.entries(answer).map(([key, value]) => [key, containing(value)])),
  );
}
