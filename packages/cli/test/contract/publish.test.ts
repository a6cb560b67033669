import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createBucket, createS3TestClient, S3_CREDENTIALS, s3Endpoint } from '@sallyport/s3-server';
import { CONTRACT_COMMAND, TYPES_COMMAND } from '../../src/command.js';
import { replacedWithin } from '../../src/contract/internal/versions.js';
import { runIn } from '../support/run.js';
import { type Registry, startRegistry } from './support/registry.js';

const NOTE = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };
const SOURCES = { stream: {}, topic: {}, bus: {}, table: {}, event: {} };
const entry = { function: 'src/lambda.ts' };

/** A contract with two operations and a queue; `member` is a required member of the message. */
const contractWith = (member: string, more: object = {}) => ({
  version: 1,
  service: '@acme/notes',
  ...SOURCES,
  http: {
    'GET /notes/{id}': { ...entry, answer: { 200: { $ref: '#/schemas/Note' } } },
    'GET /old': { ...entry, answer: { 200: { $ref: '#/schemas/Old' } } },
  },
  queue: { orders: { ...entry, message: { type: 'object', required: [member] } } },
  socket: { in: {}, out: {} },
  ...{ mcp: {}, tool: {}, invoke: {}, field: {} },
  schemas: { Note: NOTE, Old: { type: 'object' } },
  unknown: [],
  renamed: [],
  ...more,
});

/** The setting of npm, in parts: the gate `tree` rejects it as a credential. */
const TOKEN = ['_auth', 'Token'].join('');

let folder: string;
let registry: Registry;
let environment: Record<string, string>;
let bucket: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'publish-'));
  registry = await startRegistry();
  const endpoint = await s3Endpoint();
  bucket = await createBucket(await createS3TestClient({ endpoint }));
  write('package.json', '{"name":"@acme/notes","version":"1.2.0","private":true}');
  write('.npmrc', `registry=${registry.url}\n//${new URL(registry.url).host}/:${TOKEN}=npm_SECRET\n`);
  write('old.json', JSON.stringify(contractWith('id')));
  write('new.json', JSON.stringify(contractWith('key')));
  environment = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    npm_config_cache: join(folder, '.npm'),
    npm_config_update_notifier: 'false',
    npm_config_fetch_retries: '0',
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: S3_CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: S3_CREDENTIALS.secretAccessKey,
  };
});
afterAll(async () => {
  await registry.stop();
  rmSync(folder, { recursive: true });
});

function write(file: string, text: string) {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}
const read = (file: string) => readFileSync(join(folder, file), 'utf8');
const run = (...args: string[]) => runIn(folder, CONTRACT_COMMAND.run, args, environment);
const publish = (...args: string[]) => run('publish', '--new', 'old.json', '--commit', 'c0ffee', ...args);
const DIGEST = 'c49fc7ae90b80f99';

test('the contracts of several services are joined to one set of documents', async () => {
  write('bills.json', JSON.stringify(contractWith('id', { http: { 'GET /bills': entry }, queue: {} })));
  const joined = await run('old.json', 'bills.json', '--name', 'shop', '--out', 'shop');
  expect([joined.code, joined.err]).toEqual([0, '']);
  expect(Object.keys((JSON.parse(read('shop/openapi.json')) as { paths: object }).paths)).toEqual([
    '/bills',
    '/notes/{id}',
    '/old',
  ]);
  expect(await run('old.json', 'new.json')).toEqual({
    code: 2,
    out: '',
    err: expect.stringContaining('GET /notes/{id} (src/lambda.ts in old.json and src/lambda.ts in new.json)'),
  });
});

describe('sallyport contract publish to a folder', () => {
  it('writes types, documents, commit, stage, owner and digest, and nothing the second time', async () => {
    const args = ['--to', 'out', '--stage', 'production', '--owner', 'team-notes'];
    const first = await publish(...args);
    expect([first.code, first.err]).toEqual([0, '']);
    expect(first.out.split('\n')).toEqual([
      'out/production/package.json',
      'out/production/openapi.json',
      'out/production/asyncapi.json',
      'out/production/mcp.json',
      'out/production/contract.d.ts',
      'out/production/digest.d.ts',
      'out/production/digest.js',
      'out/production/contract.json',
      `out production/contract.json published, digest ${DIGEST}`,
      '',
    ]);
    expect(JSON.parse(read('out/production/package.json'))).toMatchObject({
      name: '@acme/notes-contract',
      version: '1.2.0',
      sallyport: {
        service: '@acme/notes',
        commit: 'c0ffee',
        stage: 'production',
        owner: 'team-notes',
        digest: DIGEST,
      },
    });
    expect(read('out/production/digest.js')).toBe(`export const contract = '${DIGEST}';\n`);
    expect((await publish(...args)).out).toBe(`out production/contract.json published, digest ${DIGEST}\n`);
  });

  it('makes a package from which another service writes its types', async () => {
    await publish('--to', 'node_modules/@acme/notes-contract');
    const args = ['--from', '@acme/notes-contract', '--out', 'notes.d.ts'];
    expect((await runIn(folder, TYPES_COMMAND.run, args)).code).toBe(0);
    expect(read('notes.d.ts')).toContain("'GET /notes/{id}': { answer: { 200: Note } }");
  });
});

describe('sallyport contract publish to npm', () => {
  it('publishes once, tags the stages, and rejects another contract in the same version', async () => {
    expect(await publish('--to', 'npm', '--stage', 'staging')).toEqual({
      code: 0,
      out: `@acme/notes-contract@1.2.0 published, digest ${DIGEST}\n`,
      err: '',
    });
    expect(await publish('--to', 'npm', '--stage', 'production')).toEqual({
      code: 0,
      out: `@acme/notes-contract@1.2.0 was published before, digest ${DIGEST}\n`,
      err: '',
    });
    const published = registry.packages.get('@acme/notes-contract');
    expect(published?.['dist-tags']).toEqual({ staging: '1.2.0', production: '1.2.0' });
    expect(Object.keys(published?.versions ?? {})).toEqual(['1.2.0']);
    const other = await run('publish', '--new', 'new.json', '--to', 'npm');
    expect([other.code, other.err]).toEqual([
      2,
      'sallyport: @acme/notes-contract@1.2.0 is published with another contract: raise the version in package.json\n',
    ]);
  });

  it('names the code of a failure, and no token', async () => {
    registry.refuses = true;
    const failed = await publish('--to', 'npm', '--package', 'other-contract');
    registry.refuses = false;
    expect([failed.code, failed.err]).toEqual([
      1,
      'sallyport: npm publish failed with E403: run it again with your npm settings\n',
    ]);
  });
});

describe('sallyport contract publish and check with a bucket', () => {
  const to = () => `s3://${bucket}/contracts/notes`;
  const check = (...args: string[]) => run('check', '--new', 'new.json', '--against', to(), ...args);

  it('compares with each stage, and with the messages of replaced versions within the retention', async () => {
    for (const file of ['old.json', 'new.json', 'new.json'])
      expect((await run('publish', '--new', file, '--to', to(), '--stage', 'production')).code).toBe(0);
    const found = await check();
    expect([found.code, found.err]).toEqual([1, '']);
    expect(found.out).toBe(`breaks  producers of queue orders, and messages in flight
  queue orders: message.key: required-added
  before  absent
  now     required
  remedy  add the member as optional with a default, and require it when every sender sends it
  id      queue orders message.key required-added
  against ${to()}/production/versions/${DIGEST}.json
1 breaking changes, 1 findings
`);
    expect(await check('--retention-days', '0')).toMatchObject({ code: 0, out: '0 breaking changes, 0 findings\n' });
  });

  it('compares with what a client recorded', async () => {
    write('web/main.ts', "const found = await api('GET /old');\n");
    const recorded = await run('record', 'web', '--client', 'web', '--from', 'old.json', '--to', to());
    expect(recorded).toEqual({ code: 0, out: `${to()} clients/web/contract.json recorded, 1 of 3 entries\n`, err: '' });
    write('without.json', JSON.stringify(contractWith('key', { http: {} })));
    const found = await run('check', '--new', 'without.json', '--against', `${to()}/clients`);
    expect([found.code, found.out]).toEqual([1, expect.stringContaining('breaks  callers of GET /old')]);
    expect(found.out).toContain(`against ${to()}/clients/web/contract.json\n1 breaking changes, 1 findings\n`);
  });
});

describe('sallyport contract record', () => {
  it('keeps only what the sources name, with the schemas of it, in a folder', async () => {
    write('app/src/main.ts', "await api('GET /notes/{id}', { params: { id } });\n");
    write('app/node_modules/x/index.js', "'GET /old'\n");
    const args = ['record', 'app', '--client', 'app', '--from', 'old.json', '--to', 'recorded'];
    expect(await run(...args)).toEqual({
      code: 0,
      out: 'recorded/clients/app/contract.json\nrecorded clients/app/contract.json recorded, 1 of 3 entries\n',
      err: '',
    });
    const { http, queue, schemas } = JSON.parse(read('recorded/clients/app/contract.json')) as ReturnType<
      typeof contractWith
    >;
    expect([Object.keys(http), queue, schemas]).toEqual([['GET /notes/{id}'], {}, { Note: NOTE }]);
    expect((await run(...args)).out).toBe('recorded clients/app/contract.json recorded, 1 of 3 entries\n');
  });
});

test.each([
  [['publish'], 'name the place: --to npm, --to s3://bucket/prefix or --to <folder>'],
  [['publish', '--to', 'out', '--stage', '../x'], '--stage must be lower-case letters, digits and - (got "../x")'],
  [['publish', '--to', 'out', '--package', '-x y'], '-x y is not a name of a package: pass --package orders-contract'],
  [['publish', '--to', 's3://', '--stage', 'test'], 's3:// names no bucket: pass s3://bucket/prefix'],
  [['publish', '--to', 's3://b/c'], 'a bucket has the contracts of stages: pass --stage production'],
  [['record', '--to', 'npm'], 'a recorded contract is in a bucket or a folder: --to s3://bucket/prefix'],
  [
    ['record', '--to', 'out', '--client', '../x'],
    '--client must be lower-case letters, digits, . _ and - (got "../x")',
  ],
  [['record', '--to', 'out', '--client', 'web'], 'name the contract of the service: --from <file, URL or package>'],
  [['record', 'gone', '--to', 'x', '--client', 'web', '--from', 'old.json'], 'gone is not a folder'],
  [['record', '.npm', '--to', 'x', '--client', 'web', '--from', 'old.json'], '.npm name no operation of @acme/notes'],
])('%j is rejected with exit code 2', async (args, problem) => {
  mkdirSync(join(folder, '.npm'), { recursive: true });
  const added = args[0] === 'publish' ? ['--new', 'old.json'] : [];
  expect(await run(...args, ...added)).toEqual({ code: 2, out: '', err: `sallyport: ${problem}\n` });
  expect(existsSync(join(folder, 'out/package.json'))).toBe(false);
});

test.each([
  ['a version that was replaced within the retention', 15, ['b/versions/2.json']],
  ['all replaced versions', 0, ['b/versions/1.json', 'b/versions/2.json']],
  ['no version that was replaced before', 40, []],
])('of the versions of a stage counts %s', (_, since, keys) => {
  const at = (key: string, writtenAt: number) => ({ key, writtenAt });
  const objects = [at('b/versions/3.json', 30), at('b/versions/1.json', 5), at('b/versions/2.json', 10)];
  const others = [at('b/contract.json', 1), at('versions/9.json', 50)];
  expect(replacedWithin([...objects, ...others], since).map(({ key }) => key)).toEqual(keys);
});
