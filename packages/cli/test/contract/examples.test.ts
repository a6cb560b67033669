/** The contracts of all examples: public tools accept the documents, and a client compiles against the types. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CONTRACT_COMMAND, TYPES_COMMAND } from '../../src/command.js';
import type { Command } from '../../src/internal/command.js';
import { judgeDocuments } from './support/judges.js';

const EXAMPLES = fileURLToPath(new URL('../../../../examples', import.meta.url));
const TSC = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
/** In the example, so that the packages are found. */
const PROGRAM = join(EXAMPLES, 'notes/node_modules/.cache/contract-types');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'contract-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  rmSync(PROGRAM, { recursive: true, force: true });
});

async function run(command: Command, cwd: string, ...args: string[]) {
  let err = '';
  const code = await command.run([...args, '--condition', '@sallyport/source'], {
    cwd,
    environment: {},
    out: () => {},
    err: (text) => {
      err += text;
    },
    input: async () => '',
    signal: new AbortController().signal,
  });
  return { code, err };
}

const services = readdirSync(EXAMPLES).filter((name) => existsSync(join(EXAMPLES, name, 'src/lambda.ts')));

test('the examples with a service are judged', () => {
  expect(services).toEqual(['digest', 'from-hono', 'notes', 'sandbox']);
});

test.each(services)('public tools accept the documents of the example %s', async (name) => {
  const out = join(folder, name);
  expect(await run(CONTRACT_COMMAND, join(EXAMPLES, name), '--out', out)).toEqual({ code: 0, err: '' });
  const [openapi, asyncapi] = ['openapi', 'asyncapi'].map(
    (file) => JSON.parse(readFileSync(join(out, `${file}.json`), 'utf8')) as object,
  );
  expect(await judgeDocuments(openapi as object, asyncapi as object)).toEqual([]);
});

/** The lines after `@ts-expect-error` must not compile, the others must. */
const CLIENT = `
import { callTool, createClient } from '@sallyport/client';
import type { Contract } from './contract.js';

const api = createClient<Contract>({ url: 'https://notes.example.com' });

export async function accepted() {
  const found = await api('GET /notes/{id}', { params: { id: 'n1' } });
  if (!found.ok) return found.error.code;
  const title: string = found.data.title;
  const status: 200 = found.status;
  await api('GET /search', { query: { q: 'milk', limit: 2 } });
  await api('POST /notes', { body: { title: 'Milk', text: '' } });
  await callTool(api, 'find_notes', { word: 'milk' });
  return [title, status];
}

export async function rejected() {
  // @ts-expect-error no such operation
  await api('GET /nothing');
  // @ts-expect-error the parameter is missing
  await api('GET /notes/{id}');
  // @ts-expect-error a required member of the query is missing
  await api('GET /search', { query: { limit: 2 } });
  // @ts-expect-error a member of the body has another type
  await api('POST /notes', { body: { title: 1, text: '' } });
  // @ts-expect-error an input of another tool
  await callTool(api, 'find_notes', { title: 'milk', text: '' });
  const found = await api('GET /notes/{id}', { params: { id: 'n1' } });
  // @ts-expect-error the answer has no such member
  return found.ok && found.data.body;
}
`;

test('a client compiles against the types of the example notes, and its program has no file of the service', async () => {
  mkdirSync(PROGRAM, { recursive: true });
  const types = join(PROGRAM, 'contract.d.ts');
  expect(await run(TYPES_COMMAND, join(EXAMPLES, 'notes'), '--out', types)).toEqual({ code: 0, err: '' });
  writeFileSync(join(PROGRAM, 'client.ts'), CLIENT);
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: 'es2023',
    module: 'nodenext',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: [],
    customConditions: ['@sallyport/source'],
  };
  writeFileSync(join(PROGRAM, 'package.json'), '{"type":"module"}');
  writeFileSync(join(PROGRAM, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['client.ts'] }));
  const { stdout, status } = spawnSync(process.execPath, [TSC, '-p', PROGRAM, '--listFiles'], { encoding: 'utf8' });
  const files = stdout.trim().split('\n');
  const own = files.filter((file) => !/\/node_modules\/(?:\.pnpm|typescript)\/|\/packages\/client\/src\//.test(file));
  expect({ status, own }).toEqual({ status: 0, own: [types, join(PROGRAM, 'client.ts')] });
});
