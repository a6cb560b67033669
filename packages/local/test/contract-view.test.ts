/** The contract of a service as the console shows it: schemas, examples, forms and code. */
import { createRequire } from 'node:module';
import { Validator } from '@cfworker/json-schema';
import { type DescribedService, toContract, toTypes } from '@sallyport/contract/service';
import ts from 'typescript';
import { toContractView } from '../src/internal/contract/contract-view.js';
import type { ContractEntry } from '../src/internal/contract/entry.js';

const { describe: describeHandler } = createRequire(import.meta.url)('@sallyport/contract/describe') as {
  describe(handler: unknown): Omit<DescribedService, 'function'>;
};
const ADDRESSES = { 'gateway-v2': 'http://127.0.0.1:4701', websocket: 'ws://127.0.0.1:4705' };

let service: DescribedService;
let entries: readonly ContractEntry[];
const entry = (door: string, name: string) =>
  entries.find((one) => one.door === door && one.name === name) as ContractEntry;
const codeOf = (door: string, name: string, of: string) =>
  entry(door, name)
    .code.find((one) => one.name === of)
    ?.text.split('\n');

beforeAll(async () => {
  Object.assign(process.env, {
    ISSUER: 'https://id.example.com',
    JWKS_URI: 'https://id.example.com/keys',
    AUDIENCE: 'a',
    FRAMEWORK_MCP_TABLE_NAME: 'mcp',
  });
  const { handler } = await import('./functions/contract.js');
  service = { ...describeHandler(handler), function: 'src/lambda.ts' };
  ({ entries } = toContractView('shop', [service], ADDRESSES));
});

test('every door is in the view, even a door without a schema', () => {
  expect(entries.map(({ door, name }) => `${door} ${name}`)).toEqual([
    'http GET /files/{path+}',
    'http GET /orders/{id}',
    'http GET /ticks',
    'http POST /orders',
    'http PUT /dates',
    'socket in say',
    'socket out said',
    'socket in $connect',
    'queue orders',
    'stream clicks',
    'topic news',
    'bus shop/Paid',
    'table notes',
    'event kafka/prices',
    'event schedule/nightly',
    'tool add',
    'invoke charge',
    'field Query.order',
  ]);
});

test('a schema contains the named schemas that it refers to, and its example fits', () => {
  const { parts } = entry('queue', 'orders');
  expect(parts).toEqual([
    {
      name: 'message',
      direction: 'in',
      codes: [],
      schema: {
        $ref: '#/$defs/Order',
        $defs: { Order: expect.objectContaining({ required: ['id', 'items'] }), Item: expect.anything() },
      },
      example: { id: 'text', items: [{ sku: "tea's", count: 1 }] },
    },
  ]);
});

test('each example fits its schema', () => {
  const parts = entries.flatMap(({ name, parts: own }) => own.map((part) => ({ at: `${name} ${part.name}`, ...part })));
  const stated = parts.filter(({ schema }) => schema !== null && !JSON.stringify(schema).includes('x-unknown'));
  const wrong = stated.filter(
    ({ schema, example }) => !new Validator(schema as object, '2020-12').validate(example).valid,
  );
  expect(wrong).toEqual([]);
  expect(stated).toHaveLength(21);
});

test('a route shows its answers and the codes of its errors', () => {
  const { parts, posture, scopes, summary } = entry('http', 'GET /orders/{id}');
  expect({ posture, scopes, summary }).toEqual({ posture: 'public', scopes: [], summary: 'Reads an order.' });
  expect(parts.map(({ name, direction, codes }) => [name, direction, ...codes])).toEqual([
    ['params', 'in'],
    ['query', 'in'],
    ['200', 'out'],
    ['400', 'out', 'app.bad_request'],
    ['404', 'out', 'app.not_found'],
    ['422', 'out', 'app.validation_failed'],
  ]);
});

test.each([
  [
    'http',
    'GET /orders/{id}',
    {
      kind: 'http',
      target: 'GET /orders/3f2b8c1e-9d4a-4e6b-8f10-2a7c5d9e0b13',
      fields: { query: 'full: text', headers: '', cookies: '', json: '' },
    },
  ],
  [
    'http',
    'GET /files/{path+}',
    { kind: 'http', target: 'GET /files/text', fields: { query: '', headers: '', cookies: '', json: '' } },
  ],
  [
    'socket in',
    'say',
    {
      kind: 'websocket',
      target: 'say',
      fields: { body: '{\n  "action": "say",\n  "data": {\n    "text": "text"\n  }\n}' },
    },
  ],
  ['socket in', '$connect', { kind: 'websocket', target: '$connect', fields: {} }],
  ['socket out', 'said', null],
  ['topic', 'news', { kind: 'topic', target: 'news', fields: { message: '{\n  "text": "text"\n}' } }],
  [
    'bus',
    'shop/Paid',
    {
      kind: 'event-bus',
      target: 'default',
      fields: { source: 'shop', detailType: 'Paid', detail: '{\n  "cents": 1\n}' },
    },
  ],
  [
    'table',
    'notes',
    { kind: 'table-stream', target: 'notes', fields: { eventName: 'INSERT', newImage: '{\n  "id": "text"\n}' } },
  ],
  [
    'event',
    'schedule/nightly',
    { kind: 'schedule', target: 'nightly', fields: { detail: '{\n  "report": "daily"\n}' } },
  ],
  ['event', 'kafka/prices', { kind: 'kafka', target: 'prices', fields: {} }],
  ['tool', 'add', { kind: 'tool', target: 'add', fields: { path: '/mcp', arguments: '{\n  "a": 1,\n  "b": 1\n}' } }],
  [
    'invoke',
    'charge',
    {
      kind: 'invoke',
      target: '',
      fields: { event: '{\n  "$invoke": "charge",\n  "input": {\n    "cents": 1\n  }\n}' },
    },
  ],
])('the form of %s %s is filled', (door, name, attempt) => {
  expect(entry(door, name).attempt).toEqual(attempt);
});

test('curl sends the example with a token, a key and quotes that the shell removes', () => {
  expect(codeOf('http', 'POST /orders', 'curl')).toEqual([
    "curl --request POST 'http://127.0.0.1:4701/orders' \\",
    `  --header "authorization: Bearer $(npx sallyport token --sub ada --scope 'orders:write')" \\`,
    "  --header 'idempotency-key: example-1' \\",
    "  --header 'content-type: application/json' \\",
    `  --data '{"items":[{"count":1,"sku":"tea'\\''s"}]}'`,
  ]);
});

test('the code of a queue is a command, a sender and a test', () => {
  expect(codeOf('queue', 'orders', 'command')).toEqual([
    `npx sallyport send queue 'orders' --data '{"id":"text","items":[{"count":1,"sku":"tea'\\''s"}]}'`,
  ]);
  expect(codeOf('queue', 'orders', 'client')).toEqual([
    "import { createSender } from '@sallyport/streams/send';",
    "import type { Contract } from './contract.js';",
    '',
    "const sender = createSender<Contract>({ queues: { 'orders': process.env.QUEUE_URL } });",
    `await sender.send('orders', {"id":"text","items":[{"count":1,"sku":"tea's"}]});`,
  ]);
  expect(codeOf('queue', 'orders', 'test kit')?.at(-1)).toBe(
    `await env.invoke({ handleLambda: handler }, contractEvents<Contract>().queue('orders', {"id":"text","items":[{"count":1,"sku":"tea's"}]}));`,
  );
});

test('the code for TypeScript compiles against the file of types', () => {
  const folder = new URL('./', import.meta.url).pathname;
  const files = new Map([
    [`${folder}contract.d.ts`, toTypes(toContract('shop', [service]))],
    [
      `${folder}sdk.d.ts`,
      "declare module '@aws-sdk/client-lambda' { export const InvokeCommand: any, LambdaClient: any; }",
    ],
    [`${folder}lambda.d.ts`, 'export declare const handler: (event: unknown, context?: object) => Promise<unknown>;'],
  ]);
  for (const { door, name, code } of entries)
    for (const { name: of, text } of code)
      if (of === 'client' || of === 'test kit')
        files.set(`${folder}${`${door} ${name} ${of}`.replaceAll(/\W+/g, '-')}.ts`, text);
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    customConditions: ['@sallyport/source'],
    types: ['node'],
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (file) => files.has(file) || fileExists(file);
  host.readFile = (file) => files.get(file) ?? readFile(file);
  // The types of the AWS SDK need most of the time, and no sample depends on them.
  host.resolveModuleNameLiterals = (names, from, redirected, given) =>
    names.map(({ text }) =>
      text.startsWith('@aws-sdk/')
        ? { resolvedModule: undefined }
        : ts.resolveModuleName(text, from, given, host, undefined, redirected, ts.ModuleKind.ESNext),
    );
  host.getSourceFile = (file, language, ...rest) => {
    const text = files.get(file);
    return text === undefined ? getSourceFile(file, language, ...rest) : ts.createSourceFile(file, text, language);
  };
  const program = ts.createProgram([...files.keys()], options, host);
  const own = program.getSourceFiles().filter(({ fileName }) => files.has(fileName));
  const problems = own.flatMap((file) => [
    ...program.getSyntacticDiagnostics(file),
    ...program.getSemanticDiagnostics(file),
  ]);
  expect(
    problems.map(({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`),
  ).toEqual([]);
  expect(own).toHaveLength(files.size);
});

test('two functions with one operation are a problem that names both files', () => {
  const other = { ...service, function: 'src/other.ts' };
  expect(toContractView('shop', [service, other], ADDRESSES)).toMatchObject({
    entries: [],
    problem: expect.stringContaining('POST /orders (src/lambda.ts and src/other.ts)'),
  });
  expect(toContractView('shop', [], ADDRESSES).problem).toBe('the service describes no operations');
});

test('equal services have equal views', () => {
  expect(JSON.stringify(toContractView('shop', [service], ADDRESSES).entries)).toBe(JSON.stringify(entries));
});
