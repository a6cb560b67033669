import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CONTRACT_COMMAND, TYPES_COMMAND } from '../../src/command.js';
import type { Command } from '../../src/internal/command.js';
import { runIn } from '../support/run.js';
import { judgeDocuments } from './support/judges.js';

const shop = fileURLToPath(new URL('shop.ts', import.meta.url));
const require = createRequire(import.meta.url);
const TSC = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'contract-'));
  writeFileSync(join(folder, 'package.json'), '{"name":"shop","version":"1.2.0","type":"module"}');
  writeFileSync(
    join(folder, 'sallyport.json'),
    JSON.stringify({ entry: relative(folder, shop), conditions: ['@sallyport/source'] }),
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

const run = (command: Command, ...args: string[]) => runIn(folder, command.run, args);

const read = (file: string) => readFileSync(join(folder, file), 'utf8');
const json = (file: string) => JSON.parse(read(file)) as Record<string, unknown>;

const UNKNOWN =
  'POST /imports body is unknown: Date cannot be represented in JSON Schema: use a schema that JSON Schema can express, such as z.iso.datetime() for dates\n';

describe('sallyport contract', () => {
  it('writes the contract and its documents, which public tools accept', async () => {
    expect(await run(CONTRACT_COMMAND)).toEqual({
      code: 0,
      out: 'contract/contract.json\ncontract/openapi.json\ncontract/asyncapi.json\ncontract/mcp.json\n',
      err: `warning: ${UNKNOWN}`,
    });
    expect(Object.keys(json('contract/openapi.json').paths as object)).toEqual([
      '/notes',
      '/notes/{id}',
      '/ticks',
      '/imports',
    ]);
    expect(json('contract/openapi.json').info).toEqual({ title: 'shop', version: '1.2.0' });
    expect(Object.keys(json('contract/asyncapi.json').channels as object)).toEqual([
      'queue_orders',
      'stream_clicks',
      'topic_alerts',
      'bus_billing_InvoicePaid',
      'table_users',
      'event_kafka_orders',
      'socket_in',
      'socket_out',
    ]);
    expect(json('contract/contract.json').stream).toMatchObject({ clicks: { orderedBy: 'page' } });
    expect(Object.keys(json('contract/mcp.json'))).toEqual(['/mcp']);
    expect(await judgeDocuments(json('contract/openapi.json'), json('contract/asyncapi.json'))).toEqual([]);
  });

  it('writes nothing a second time, and fails with --strict', async () => {
    expect(await run(CONTRACT_COMMAND, '--check', '--strict')).toEqual({ code: 1, out: '', err: `error: ${UNKNOWN}` });
  });
});

describe('the GraphQL schema file', () => {
  it('is compared with the registered fields, and all differences are named in one run', async () => {
    writeFileSync(
      join(folder, 'fits.graphql'),
      'type Query { note(id: ID!): Note } type Note { id: ID! title: String! }',
    );
    expect((await run(CONTRACT_COMMAND, '--schema', 'fits.graphql')).code).toBe(0);
    writeFileSync(join(folder, 'differs.graphql'), 'type Query { note(key: Int!): Note } type Note { title: Int! }');
    expect(await run(CONTRACT_COMMAND, '--schema', 'differs.graphql')).toEqual({
      code: 1,
      out: '',
      err: `sallyport: differs.graphql and the registered fields differ:
  Query.note: args.id: absent in the schema file, required in the resolver
  Query.note: result.title: integer in the schema file, string in the resolver
`,
    });
    expect((await run(CONTRACT_COMMAND, '--schema', 'gone.graphql')).code).toBe(2);
  });
});

describe('sallyport types', () => {
  it('writes one line for each operation and schema, and the file compiles alone', async () => {
    expect(await run(TYPES_COMMAND)).toMatchObject({ code: 0, out: 'src/contract.d.ts\n' });
    expect(read('src/contract.d.ts')).toBe(TYPES);
    const args = ['--noEmit', '--strict', '--lib', 'es2023', 'src/contract.d.ts'];
    execFileSync(process.execPath, [TSC, ...args], { cwd: folder, encoding: 'utf8' });
  });

  it('writes the same file from the contract of another service', async () => {
    await run(TYPES_COMMAND, '--from', 'contract/contract.json', '--out', 'other.d.ts');
    expect(read('other.d.ts')).toBe(TYPES);
  });
});

describe('sallyport contract check', () => {
  const old = () => json('contract/contract.json') as { http: Record<string, unknown> };

  it('accepts the same contract', async () => {
    const found = await run(CONTRACT_COMMAND, 'check', '--against', 'contract/contract.json');
    expect(found).toEqual({ code: 0, out: '0 breaking changes, 0 findings\n', err: '' });
  });

  it('names who breaks, where, both sides and the way out, and accepts a finding with a reason', async () => {
    const before = old();
    before.http['GET /old'] = { function: 'src/lambda.ts' };
    writeFileSync(join(folder, 'before.json'), JSON.stringify(before));
    const args = ['check', '--against', 'before.json', '--new', 'contract/contract.json'];
    expect(await run(CONTRACT_COMMAND, ...args)).toEqual({
      code: 1,
      err: '',
      out: `breaks  callers of GET /old
  GET /old: entry-removed
  before  present
  now     absent
  remedy  keep it until nothing calls it and nothing is in flight
  id      GET /old entry-removed
  against before.json
1 breaking changes, 1 findings
`,
    });
    writeFileSync(join(folder, 'contract.allow.json'), '{"GET /old entry-removed":"unused since May","x":"y"}');
    const allowed = await run(CONTRACT_COMMAND, ...args, '--json');
    expect([allowed.code, (JSON.parse(allowed.out) as { allowed: string }).allowed, allowed.err]).toEqual([
      0,
      'unused since May',
      'warning: nothing to allow for "x": remove it\n',
    ]);
    rmSync(join(folder, 'contract.allow.json'));
  });

  it('reads every stage of a folder, and another revision of git if nothing is deployed', async () => {
    cpSync(join(folder, 'contract'), join(folder, 'stages/production'), { recursive: true });
    const args = ['check', '--new', 'contract/contract.json', '--against'];
    expect((await run(CONTRACT_COMMAND, ...args, 'stages')).code).toBe(0);
    const git = (...words: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...words], {
        cwd: folder,
        stdio: 'ignore',
      });
    git('init', '-b', 'main');
    git('add', 'contract');
    git('commit', '-m', 'contract');
    expect((await run(CONTRACT_COMMAND, ...args, 'src', '--otherwise', 'git:main')).code).toBe(0);
  });

  it('warns if there is nothing to compare with yet', async () => {
    const found = await run(CONTRACT_COMMAND, 'check', '--otherwise', 'git:nowhere', '--new', 'contract/contract.json');
    expect([found.code, found.err]).toEqual([0, expect.stringContaining('warning: nothing is compared: git has no')]);
  });

  it.each([
    ['git:nowhere', 'git has no contract/contract.json at nowhere'],
    ['git:--help', 'git:--help names no revision'],
    ['gone.json', 'gone.json does not exist'],
    ['package.json', 'contract: package.json has version "1.2.0", expected 1'],
    ['src', 'src has no contract.json'],
  ])('rejects %s with exit code 2', async (reference, problem) => {
    const { code, err } = await run(
      CONTRACT_COMMAND,
      'check',
      '--against',
      reference,
      '--new',
      'contract/contract.json',
    );
    expect([code, err]).toEqual([2, expect.stringContaining(problem)]);
  });

  it('needs a contract to compare with', async () => {
    expect(await run(CONTRACT_COMMAND, 'check')).toMatchObject({ code: 2 });
  });
});

test('a service that does not load has exit code 3', async () => {
  writeFileSync(join(folder, 'broken.ts'), 'throw new Error("no");\nexport const handler = 1;\n');
  const { code, err } = await run(CONTRACT_COMMAND, 'broken.ts');
  expect([code, err]).toEqual([3, expect.stringContaining('broken.ts does not load')]);
});

const TYPES = `/** Written by \`sallyport types\`. */
export interface Contract {
  http: {
    'GET /notes': { query: { after: string; limit?: number } };
    /** Reads a note. */ 'GET /notes/{id}': { params: { id: string }; answer: { 200: Note }; error: 'app.forbidden' | 'app.not_found' | 'app.unauthorized' };
    'GET /ticks': { events: { tick: { at: number } } };
    'POST /imports': { body: unknown; answer: { 202: { job: string } } };
    'POST /notes': { body: NewNote; answer: { 201: Note }; idempotency: true };
  };
  queue: {
    orders: Order;
  };
  stream: {
    clicks: { page: string };
  };
  topic: {
    alerts: { text: string };
  };
  bus: {
    'billing/InvoicePaid': { invoice: string };
  };
  table: {
    users: { id: string };
  };
  event: {
    'kafka/orders': Order;
  };
  socket: {
    in: {
      send: { text: string };
    };
    out: {
      'note-added': Note;
    };
  };
  tool: {
    /** Searches. */ search: { input: { text: string }; output: { hits: Note[] } };
  };
  invoke: {
    charge: { input: { cents: number }; output: { id: string } };
  };
  field: {
    'Query.note': { args: { id: string }; result: Note };
  };
}
export interface NewNote { kind?: 'text' | 'list'; title: string }
/** A note *\\/ of a user */ export interface Note { id: string; kind: 'text' | 'list'; title: string }
export interface Order { id: string; lines: { count: number; item: string }[] }
`;
