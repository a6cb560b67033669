/** Bundles with a start cache in fresh processes: the answers are the same with each cache, and without a cache. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { buildAPIGatewayV2Request, buildLoadBalancerRequest, buildQueueEvent } from '@sallyport/testkit/events';
import { bundleFunction, verifyBundle } from '../src/index.js';
import { bundle, copyOf, FUNCTIONS, MAJOR, newFolder, newProject, start } from './support/bundles.js';

const SECURE = join(FUNCTIONS, 'secure.ts');
const claims = { sub: 'ada', scope: 'notes:read', iss: 'https://id.example.com' };
const authorizer = { jwt: { claims, scopes: ['notes:read'] } };

const EVENTS = [
  buildAPIGatewayV2Request('GET', '/health'),
  buildAPIGatewayV2Request('GET', '/notes/7', { authorizer }),
  buildAPIGatewayV2Request('GET', '/notes/7'),
  buildLoadBalancerRequest('GET', '/missing'),
  buildQueueEvent('arn:aws:sqs:us-east-1:123456789012:orders', [{ body: { id: 1 } }]),
  { neither: 'this', nor: 'that' },
];
const STATUSES = [200, 200, 401, 404];

const made = bundle(SECURE, { startCache: { memory: [256, 512] } });
const cacheOf = (folder: string, flag: string) => {
  const name = made.caches.find(({ flags }) => flags.includes(flag))?.name ?? '';
  return join(folder, name);
};
const fitting = (folder: string) => cacheOf(folder, '--max-old-space-size=231');
const plain = start(bundle(SECURE).folder, EVENTS);

/** Without the stack of an error, which names the bundle's own file. */
function answersOf(answers: readonly unknown[]): unknown {
  return JSON.parse(JSON.stringify(answers, (key, value: unknown) => (key === 'stack' ? undefined : value)));
}

it('the bundle has a cache for each size of memory, and its files are unchanged', () => {
  expect(made.format).toBe('cjs');
  expect(made.warnings).toEqual([]);
  expect(made.caches.map(({ version, arch, flags }) => [version, arch, flags.includes('--expose-gc')])).toEqual([
    [process.version, process.arch, true],
    [process.version, process.arch, true],
  ]);
  const hash = /^start-([0-9a-f]{64})-/.exec(made.caches[0]?.name ?? '')?.[1];
  expect(readdirSync(made.folder).sort()).toEqual(
    ['app.js', 'app.js.map', 'index.js', 'package.json', 'start.json', ...made.caches.map(({ name }) => name)].sort(),
  );
  expect(made.caches.every(({ name }) => name.startsWith(`start-${hash}-${process.version}-${process.arch}-`))).toBe(
    true,
  );
  expect(verifyBundle(made.folder)).toEqual([]);
});

it('the answers without a cache are right', () => {
  expect(plain.answers.slice(0, 4).map((answer) => (answer as { statusCode: number }).statusCode)).toEqual(STATUSES);
  expect(plain.answers[4]).toEqual({ batchItemFailures: [] });
  expect(plain.answers[5]).toMatchObject({ code: 'dispatch.unknown_event' });
});

describe('the answers equal the answers without a cache, and one line and one metric report why no cache fits', () => {
  const other = bundle(join(FUNCTIONS, 'other.ts'), { startCache: { memory: [256] } });
  const isCompared = MAJOR < 24;
  it.each<[string, (folder: string) => void, string | undefined]>([
    ['a cache that fits', () => {}, undefined],
    ['no cache', (folder) => rmSync(fitting(folder)), 'missing'],
    [
      'the cache of another text under this name',
      (folder) => writeFileSync(fitting(folder), readFileSync(join(other.folder, other.caches[0]?.name ?? ''))),
      'rejected',
    ],
    [
      'the cache of another version of Node',
      (folder) => renameSync(fitting(folder), fitting(folder).replace(process.version, 'v22.0.1')),
      'missing',
    ],
    [
      'the cache of another architecture',
      (folder) => renameSync(fitting(folder), fitting(folder).replace(`-${process.arch}-`, '-riscv64-')),
      'missing',
    ],
    [
      'a cache that was made with other flags, under this name',
      (folder) => renameSync(cacheOf(folder, '--max-old-space-size=461'), fitting(folder)),
      isCompared ? 'rejected' : undefined,
    ],
    ['a cache that is cut', (folder) => truncateSync(fitting(folder), 4_000), 'rejected'],
    ['an empty cache', (folder) => truncateSync(fitting(folder), 0), 'rejected'],
    [
      'a folder under the name of the cache',
      (folder) => {
        rmSync(fitting(folder));
        mkdirSync(fitting(folder));
      },
      'unreadable',
    ],
    [
      'a cache without permissions',
      (folder) => chmodSync(fitting(folder), 0o000),
      process.getuid?.() === 0 ? undefined : 'unreadable',
    ],
    ['a read-only folder', (folder) => chmodSync(folder, 0o555), undefined],
  ])('%s', (_name, change, reason) => {
    const folder = copyOf(made.folder);
    change(folder);
    const { answers, lines, loaded } = start(folder, EVENTS);
    expect(answersOf(answers)).toEqual(answersOf(plain.answers));
    expect(loaded.filter((one) => one !== 'NativeModule vm')).toEqual(plain.loaded);
    const own = lines.filter((line) => line.event === 'framework.start_cache' || 'StartCacheMiss' in line);
    const tag = fitting('').replace(/^start-[0-9a-f]{64}-|\.cache$/g, '');
    expect(own).toEqual(
      reason === undefined
        ? []
        : [
            {
              timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
              level: 'INFO',
              message: 'no start cache fits: the function starts slower',
              service: 'notes',
              event: 'framework.start_cache',
              reason,
              node: process.version,
              tag,
            },
            {
              _aws: {
                Timestamp: expect.any(Number),
                CloudWatchMetrics: [
                  {
                    Namespace: 'Framework',
                    Dimensions: [['service'], ['service', 'node']],
                    Metrics: [{ Name: 'StartCacheMiss', Unit: 'Count' }],
                  },
                ],
              },
              service: 'notes',
              node: process.version,
              StartCacheMiss: 1,
            },
          ],
    );
  });

  it('memory that was changed without a deployment', () => {
    const { answers, lines } = start(made.folder, EVENTS, { memory: 1024 });
    expect(answersOf(answers)).toEqual(answersOf(plain.answers));
    expect(lines.filter((line) => line.event === 'framework.start_cache')).toMatchObject([{ reason: 'missing' }]);
  });

  it('FRAMEWORK_START_CACHE=off, which reads no cache and writes nothing', () => {
    const { answers, lines } = start(made.folder, EVENTS, { variables: { FRAMEWORK_START_CACHE: 'off' } });
    expect(answersOf(answers)).toEqual(answersOf(plain.answers));
    expect(JSON.stringify(lines)).not.toMatch(/start_cache|StartCacheMiss/);
  });

  it('a log level above info has the metric only, and a process outside Lambda neither', () => {
    const own = (variables: Readonly<Record<string, string>>) =>
      start(made.folder, EVENTS.slice(0, 1), { memory: 1024, variables }).lines.map((line) => Object.keys(line)[0]);
    expect(own({ AWS_LAMBDA_LOG_LEVEL: 'WARN' })).toEqual(['_aws']);
    expect(own({ AWS_LAMBDA_RUNTIME_API: '' })).toEqual([]);
  });
});

it('a layer can wrap the handler, by assignment and by definition', () => {
  const program = `
    const bundle = require(${JSON.stringify(join(made.folder, 'index.js'))});
    const { handler } = bundle;
    bundle.handler = async (...given) => ({ ...(await handler(...given)), first: true });
    const wrapped = bundle.handler;
    Object.defineProperty(bundle, 'handler', { configurable: true, enumerable: true, writable: true, value: async (...given) => ({ ...(await wrapped(...given)), second: true }) });
    require(${JSON.stringify(join(made.folder, 'index.js'))})
      .handler(${JSON.stringify(EVENTS[0])}, {})
      .then(({ statusCode, first, second }) => console.log(statusCode, first, second));`;
  for (const folder of [made.folder, bundle(SECURE).folder]) {
    const text = program.replaceAll(made.folder, folder);
    const { stdout, stderr } = spawnSync(process.execPath, ['--eval', text], { encoding: 'utf8', env: {} });
    expect({ stdout, stderr }).toEqual({ stdout: '200 true true\n', stderr: '' });
  }
});

it('stacks have the lines and columns of app.js, and the source map has them too', () => {
  const project = newProject({ 'lambda.ts': "export const handler = async () => { throw new Error('here'); };\n" });
  const { folder } = bundle(join(project, 'lambda.ts'), { startCache: true });
  const [{ stack }] = start(folder, [{}]).answers as readonly [{ readonly stack: string }];
  const [, line, column] = /app\.js:(\d+):(\d+)/.exec(stack) ?? [];
  const source = readFileSync(join(folder, 'app.js'), 'utf8').split('\n')[Number(line) - 1] ?? '';
  expect(source.slice(Number(column) - 1)).toMatch(/^(?:new )?Error\("here"\)|^new Error/);
  const map = new SourceMap(JSON.parse(readFileSync(join(folder, 'app.js.map'), 'utf8')));
  expect(map.findOrigin(Number(line), Number(column))).toMatchObject({ lineNumber: 1, columnNumber: 44 });
});

it('runs in strict mode, with characters that are not ASCII', () => {
  const text = `export const handler = async () => [this === undefined, (function () { return this === undefined; })(), /^ü+$/.test('üü'), 'ß'];\n`;
  const { folder, caches } = bundle(join(newProject({ 'lambda.js': text }), 'lambda.js'), { startCache: true });
  expect(readFileSync(join(folder, 'app.js'), 'utf8')).toContain('ü+');
  expect(caches).toHaveLength(1);
  const { answers, lines } = start(folder, [{}]);
  expect(answers).toEqual([[true, true, true, 'ß']]);
  expect(lines).toEqual([]);
});

describe('verifyBundle finds', () => {
  it.each<[string, (folder: string) => void, RegExp]>([
    [
      'one flipped bit in a cache',
      (folder) => {
        const bytes = readFileSync(fitting(folder));
        bytes[20_000] = (bytes[20_000] ?? 0) ^ 1;
        writeFileSync(fitting(folder), bytes);
      },
      /^start-\S+ was changed after the build$/,
    ],
    [
      'other text of the same length',
      (folder) => {
        const text = readFileSync(join(folder, 'app.js'), 'utf8');
        writeFileSync(join(folder, 'app.js'), text.replace('notes:read', 'notes:rear'));
      },
      /^app\.js was changed after the build\napp\.js is not the text whose hash index\.js contains$/,
    ],
    ['a banner in the loader', (folder) => writeFileSync(join(folder, 'index.js'), '// x\n'), /^index\.js was changed/],
    [
      'a cache of another build',
      (folder) => writeFileSync(join(folder, 'start-x.cache'), ''),
      /^start-x\.cache is not of/,
    ],
    ['a cache that is missing', (folder) => rmSync(fitting(folder)), /^start-\S+ is missing$/],
    ['no list of files', (folder) => rmSync(join(folder, 'start.json')), /^start\.json is missing or not readable/],
    [
      'an older list',
      (folder) => writeFileSync(join(folder, 'start.json'), '{"version":0}'),
      /^start\.json is not of this/,
    ],
  ])('%s', (_name, change, finding) => {
    const folder = copyOf(made.folder);
    change(folder);
    expect(verifyBundle(folder).join('\n')).toMatch(finding);
  });
});

it('the asset hash is the same for two makes, and differs for another lock file or Node version', () => {
  const project = newProject({
    'lambda.ts': 'export const handler = async () => 1;\n',
    'package-lock.json': '{}',
  });
  const entry = join(project, 'lambda.ts');
  const hashOf = (memory: readonly number[]) =>
    bundleFunction({ entry, outdir: newFolder(), target: `node${MAJOR}`, startCache: { memory } }).assetHash;
  const first = hashOf([256]);
  expect(hashOf([256])).toBe(first);
  expect(hashOf([512])).not.toBe(first);
  writeFileSync(join(project, 'package-lock.json'), '{ }');
  expect(hashOf([256])).not.toBe(first);
});
