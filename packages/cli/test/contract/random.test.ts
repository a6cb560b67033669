import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  compareContracts,
  type DescribedService,
  toAsyncApi,
  toContract,
  toOpenApi,
  toTypes,
} from '@sallyport/contract/service';
import fc from 'fast-check';
import { judgeDocuments } from './support/judges.js';

const require = createRequire(import.meta.url);
const TSC = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
/** 10, and 300 in the judged run: `RANDOM_CONTRACTS=300 npm test -- packages/cli/test/contract/random.test.ts`. */
const RUNS = Number(process.env.RANDOM_CONTRACTS ?? 10);
/** Services of one document: the parser of AsyncAPI needs a second for each document, even for a small one. */
const JOINED = 30;

/** Names that applications could use, and names that are easy to write wrong. Not `$ref`: @asyncapi/parser 3.6.6 reads a member of this name as a reference, and throws. */
const name = fc.oneof(
  fc.constantFrom("o'clock", 'class', 'Contract', '1st', 'a-b', 'ünïcode', 'say "hi"', '*/', 'string', 'a b'),
  fc.stringMatching(/^[a-z][a-zA-Z0-9]{0,8}$/),
);
const { schema } = fc.letrec<{ schema: object }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<object>(
      { type: 'string' },
      { type: 'string', format: 'uuid', maxLength: 9 },
      { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
      { type: ['string', 'null'] },
      { enum: ['a', "it's", 2, null] },
      { const: true },
      {},
      { $ref: '#/$defs/Node' },
      { $ref: '#/$defs/gone' },
      { type: 'object', additionalProperties: { type: 'number' } },
      { prefixItems: [{ type: 'string' }], items: { type: 'number' }, type: 'array' },
    ),
    tie('schema').map((items) => ({ type: 'array', items })),
    fc.tuple(tie('schema'), tie('schema')).map((anyOf) => ({ anyOf })),
    fc.dictionary(name, tie('schema'), { maxKeys: 3 }).map((properties) => ({
      type: 'object',
      description: 'ends */ here',
      properties,
      required: Object.keys(properties).slice(1),
    })),
  ),
}));
const NODE = { Node: { type: 'object', properties: { next: { $ref: '#/$defs/Node' }, value: { type: 'string' } } } };
const written = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      json: fc
        .tuple(schema, fc.option(name, { nil: undefined }))
        .map(([one, id]) => ({ ...one, $defs: NODE, ...(id && { id }) })),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ reason: 'Date cannot be represented' }) },
);
const described = fc.record({ 'schema:': fc.record({ input: written, output: written }) });
const object = fc.dictionary(fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/), schema, { maxKeys: 3 }).map((properties) => ({
  'schema:': { input: { json: { type: 'object', properties, $defs: NODE } }, output: { json: {} } },
}));
const route = fc
  .record({
    method: fc.constantFrom('GET', 'PUT', 'POST', 'DELETE', 'PATCH'),
    path: fc.constantFrom(
      '/',
      '/notes',
      "/it's",
      '/notes/{id}',
      '/notes/{key}',
      '/files/{path+}',
      '/a/{b}/c',
      '/A-b',
      '/a.b',
    ),
    posture: fc.constantFrom('public', 'optional', 'authenticated', 'internal_only'),
    states: fc.record(
      {
        contract: fc.record(
          {
            query: object,
            headers: object,
            body: described,
            response: described,
            errors: fc.constant({ 404: 'app.not_found' }),
          },
          { requiredKeys: [] },
        ),
        events: fc.dictionary(name, described, { maxKeys: 2 }),
        idempotency: fc.boolean(),
        summary: fc.constantFrom('Reads.', 'ends */ here'),
      },
      { requiredKeys: [] },
    ),
  })
  .map((one) => ({ surface: 'http', ...one }));
const trigger = fc.oneof(
  fc.record({
    kind: fc.constantFrom('queue', 'stream', 'topic', 'table-stream', 'kafka', 's3'),
    name,
    payload: described,
  }),
  fc.record({
    kind: fc.constant('event-bus'),
    selector: fc.record({ source: name, detailType: name }),
    payload: described,
  }),
);
const socket = fc
  .record({ webSocketRouteKey: name, states: fc.record({ message: described }) })
  .map((one) => ({ surface: 'websocket', ...one }));
const shapeOf = ({ method, path }: { readonly method: string; readonly path: string }) =>
  `${method} ${path.replace(/\{\w+/, '{')}`;
const service = fc.record({
  function: fc.constant('src/lambda.ts'),
  routes: fc
    .tuple(
      fc.uniqueArray(route, { maxLength: 8, selector: shapeOf }),
      fc.uniqueArray(socket, { maxLength: 3, selector: (one) => one.webSocketRouteKey }),
    )
    .map((lists) => lists.flat()),
  triggers: fc.uniqueArray(trigger, {
    maxLength: 8,
    selector: (one) => JSON.stringify([one.kind, 'name' in one ? one.name : one.selector]),
  }),
  sends: fc.dictionary(name, described, { maxKeys: 2 }),
}) as fc.Arbitrary<DescribedService>;

// The services of a smaller run are the first of the judged one.
const services = fc.sample(service, { numRuns: RUNS, seed: 20261128 });
const contracts = services.map((one) => toContract('random', [one]));

/** One service of several functions: paths, names and types of messages have a prefix, because no two functions share them. */
function joined(services: readonly DescribedService[]) {
  const functions = services.map(({ routes, triggers, sends }, index) => ({
    function: `src/f${index}.ts`,
    routes: routes.map((one) => ({
      ...one,
      ...(one.path !== undefined && { path: `/s${index}${one.path === '/' ? '' : one.path}` }),
      ...(one.webSocketRouteKey !== undefined && { webSocketRouteKey: `${index} ${one.webSocketRouteKey}` }),
    })),
    triggers: triggers.map((one) => ({
      ...one,
      ...(one.name !== undefined && { name: `${index} ${one.name}` }),
      ...(one.selector && { selector: { ...one.selector, source: `${index} ${one.selector.source}` } }),
    })),
    sends: Object.fromEntries(Object.entries(sends).map(([type, sent]) => [`${index} ${type}`, sent])),
  }));
  return toContract('random', functions);
}

const groups = Array.from({ length: Math.ceil(RUNS / JOINED) }, (_, index) =>
  services.slice(index * JOINED, (index + 1) * JOINED),
);

test.each(groups.map((group, index) => ({ group, from: index * JOINED, to: index * JOINED + group.length })))(
  'public tools accept the documents of the random services $from to $to',
  async ({ group }) => {
    const contract = joined(group);
    expect(await judgeDocuments(toOpenApi(contract), toAsyncApi(contract))).toEqual([]);
  },
);

test(`the types of ${RUNS} random services compile, each alone`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'contract-types-'));
  try {
    mkdirSync(join(folder, 'src'));
    for (const [index, contract] of contracts.entries())
      writeFileSync(join(folder, `src/c${index}.d.ts`), toTypes(contract));
    const compilerOptions = { strict: true, noEmit: true, skipLibCheck: false, lib: ['es2023'], types: [] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }));
    const { stdout } = spawnSync(process.execPath, [TSC, '-p', folder], { encoding: 'utf8' });
    expect(stdout).toBe('');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a contract never differs from itself, and equal services have equal files', () => {
  for (const contract of contracts) expect(compareContracts(contract, contract)).toEqual([]);
  const again = fc.sample(service, { numRuns: RUNS, seed: 20261128 }).map((one) => toContract('random', [one]));
  expect(again.map((one) => JSON.stringify(one))).toEqual(contracts.map((one) => JSON.stringify(one)));
});
