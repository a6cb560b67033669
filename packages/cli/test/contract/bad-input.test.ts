/** Every entry of the list "Bad input" of the design of contracts. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, events } from '@sallyport/client';
import { describe as describeHandler } from '@sallyport/contract/describe';
import { type DescribedService, toContract, toOpenApi, toTypes } from '@sallyport/contract/service';
import { bind, json } from '@sallyport/http';
import { Authenticated, SecureApp } from '@sallyport/secure';
import { z } from 'zod';
import { CONTRACT_COMMAND } from '../../src/command.js';
import { runIn } from '../support/run.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bad-input-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A Standard Schema whose JSON Schema comes from a function. */
const schemaOf = (write: () => object) => ({
  '~standard': {
    version: 1 as const,
    vendor: 'test',
    validate: (value: unknown) => ({ value }),
    jsonSchema: { input: write, output: write },
  },
});

/** The contract of an application with these bodies of requests, by the path of their operation. */
function contractOf(bodies: Readonly<Record<string, unknown>>) {
  const app = new SecureApp({ principalResolver: () => null });
  for (const [path, body] of Object.entries(bodies))
    app.post(
      path,
      bind({ body: body as z.ZodType }, () => json(200, {})),
      Authenticated(),
    );
  const described = describeHandler(app.handleLambda) as Omit<DescribedService, 'function'>;
  return toContract('bad', [{ ...described, function: 'src/lambda.ts' }]);
}

interface Tree {
  readonly children: readonly Tree[];
}
const tree: z.ZodType<Tree> = z.object({ children: z.lazy(() => z.array(tree)) }).meta({ id: 'Tree' });
const named = (id: string, member: string) => z.object({ [member]: z.string() }).meta({ id });

test.each<readonly [what: string, body: unknown, line: string, unknown: string[], renamed: string[]]>([
  [
    'that throws',
    schemaOf(() => {
      throw new Error('no schema\nat secret.ts');
    }),
    'unknown',
    ['POST /a body: no schema'],
    [],
  ],
  ['that recurses', tree, 'Tree', [], []],
  [
    'that recurses without end',
    schemaOf(() => {
      const endless: Record<string, unknown> = { type: 'object' };
      return Object.assign(endless, { properties: { endless } });
    }),
    'unknown',
    ['POST /a body: Converting circular structure to JSON'],
    [],
  ],
  [
    'of 2 MB',
    schemaOf(() => ({ type: 'string', description: 'x'.repeat(2 << 20) })),
    'unknown',
    ['POST /a body: its JSON Schema has more than 1000000 characters'],
    [],
  ],
  [
    'that names two things alike',
    z.object({ one: named('Same', 'a'), two: named('Other', 'b') }),
    '{ one: Same; two: Other }',
    [],
    [],
  ],
  ['whose name is a reserved word', named('class', 'a'), 'classSchema', [], []],
  [
    'with a description that ends a comment',
    z.object({ a: z.string().describe('x */ y') }),
    '{ /** x *\\/ y */ a: string }',
    [],
    [],
  ],
  [
    'beyond the subset, with $dynamicRef',
    schemaOf(() => ({ type: 'object', properties: { a: { $dynamicRef: '#node' } } })),
    'unknown',
    ['POST /a body: types cannot express $dynamicRef'],
    [],
  ],
  [
    'beyond the subset, with only "not"',
    schemaOf(() => ({ not: { type: 'string' } })),
    'unknown',
    ['POST /a body: types cannot express not'],
    [],
  ],
  [
    'with a reference to another document',
    schemaOf(() => ({ $ref: 'https://example.com/note.json' })),
    'unknown',
    ['POST /a body: the reference https://example.com/note.json is not in the schema'],
    [],
  ],
])('a schema %s', (_, body, line, unknown, renamed) => {
  const contract = contractOf({ '/a': body });
  expect(contract.unknown.map(({ at, reason }) => `${at}: ${reason.split(' -->')[0]?.trim()}`)).toEqual(unknown);
  expect(contract.renamed).toEqual(renamed);
  expect(toTypes(contract)).toContain(`'POST /a': { body: ${line} };`);
  expect(toOpenApi(contract)).toHaveProperty(['paths', '/a', 'post', 'requestBody']);
});

test('two schemas with one name: the second has a number, with a warning', () => {
  const contract = contractOf({ '/a': named('Note', 'a'), '/b': named('Note', 'b') });
  expect(contract.renamed).toEqual(['Note']);
  expect(toTypes(contract)).toContain("'POST /b': { body: Note2 };");
});

test("a route with ' is a key with an escape", () => {
  expect(toTypes(contractOf({ "/o'clock": z.string() }))).toContain("'POST /o\\'clock': { body: string };");
});

test.each([
  [
    'a contract file of another version',
    { 'old.json': '{"version":7}' },
    'old.json',
    'old.json has version 7, expected 1: write it again with this release',
  ],
  [
    'a contract file that lacks parts',
    { 'old.json': '{"version":1,"http":{}}' },
    'old.json',
    'old.json has no socket, mcp',
  ],
  ['a contract file that is not JSON', { 'old.json': 'no' }, 'old.json', 'old.json is not JSON'],
  ['a git: reference that is not there', {}, 'git:gone', 'git has no contract/contract.json at gone'],
])('%s has exit code 2', async (_, files, reference, problem) => {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const { code, err } = await runIn(folder, CONTRACT_COMMAND.run, ['check', '--against', reference]);
  expect([code, err]).toEqual([2, expect.stringContaining(problem)]);
});

/** The contract of the servers below. */
interface Service {
  http: { 'GET /a': { answer: { 200: unknown }; events: { message: number } } };
}

/** Runs a call against a server, and returns the headers of its requests too. */
async function against<T>(listener: RequestListener, call: (url: string) => Promise<T>): Promise<T> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await call(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('an answer that is not JSON is a foreign answer', async () => {
  const listener: RequestListener = (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('<html>');
  const found = against(listener, (url) => createClient<Service>({ url })('GET /a'));
  await expect(found).rejects.toMatchObject({ code: 'client.foreign', status: 200 });
});

test('a redirect to another origin loses authorization', async () => {
  const seen: (string | undefined)[] = [];
  const target: RequestListener = ({ headers }, response) => {
    seen.push(headers.authorization);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  };
  await against(target, (other) =>
    against(
      ({ headers }, response) => {
        seen.push(headers.authorization);
        response.writeHead(307, { location: `${other}/a` }).end();
      },
      (url) => createClient<Service>({ url, headers: () => ({ authorization: 'Bearer t' }) })('GET /a'),
    ),
  );
  expect(seen).toEqual(['Bearer t', undefined]);
});

test('a stream that ends in the middle of an event is continued after the last whole event', async () => {
  const texts = ['retry: 1\nid: 1\ndata: 1\n\nid: 2\ndata: "cut', 'id: 2\ndata: 2\n\n'];
  const seen: unknown[] = [];
  const listener: RequestListener = ({ headers }, response) => {
    seen.push(headers['last-event-id']);
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(texts.shift());
  };
  const read = async (url: string) => {
    const found: unknown[] = [];
    for await (const { data } of events(createClient<Service>({ url }), 'GET /a')) found.push(data);
    return found;
  };
  expect(await against(listener, read)).toEqual([1, 2]);
  expect(seen).toEqual([undefined, '1']);
});
