/** Until its first answer, an application loads no module of Node: with Lambda's flags, Node compiles each of them from its source. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleFunction, lambdaFlags } from '@sallyport/bundle';
import { EXTERNAL, HERE } from '../bundle.js';
import { gatewayV2Event } from '../events.js';

const MAJOR = Number(process.versions.node.split('.')[0]);
const EVENT = gatewayV2Event({ method: 'GET', path: '/users/42' });

/** Node 20 loads it with the first call of `process.getBuiltinModule`, later versions before the application. */
const OF_NODE_20 = MAJOR < 22 ? ['NativeModule diagnostics_channel'] : [];

const root = mkdtempSync(join(tmpdir(), 'sallyport-builtins-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const PROGRAM = `
const [file, event] = process.argv.slice(2);
const before = new Set(process.moduleLoadList);
const { handler } = require(file);
handler(JSON.parse(event), { awsRequestId: 'r', getRemainingTimeInMillis: () => 3000 }).then(({ statusCode }) => {
  const loaded = process.moduleLoadList.filter((name) => !before.has(name));
  process.stdout.write(JSON.stringify({ statusCode, loaded }));
});`;

it.each<[string, string, boolean, readonly string[]]>([
  ['http', 'ours-hundred', false, []],
  ['createApp', 'ours-hundred-app', false, OF_NODE_20],
  ['SecureApp', 'ours-hundred-secure', false, OF_NODE_20],
  // The loader compiles the code with it.
  ['SecureApp, start cache', 'ours-hundred-secure', true, ['NativeModule vm', ...OF_NODE_20]],
])('%s', (_name, module, startCache, expected) => {
  const outdir = mkdtempSync(join(root, 'bundle-'));
  const { file, format, warnings } = bundleFunction({
    entry: join(HERE, 'cold', `${module}.ts`),
    outdir,
    target: `node${MAJOR}`,
    conditions: ['@sallyport/source'],
    external: [...EXTERNAL],
    startCache,
  });
  expect([format, warnings]).toEqual(['cjs', []]);
  const program = join(outdir, 'program.cjs');
  writeFileSync(program, PROGRAM);
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [...lambdaFlags(256, MAJOR), program, file, JSON.stringify(EVENT)],
    { encoding: 'utf8', env: { AWS_LAMBDA_FUNCTION_NAME: 'users', AWS_LAMBDA_RUNTIME_API: '127.0.0.1:9' } },
  );
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual({ statusCode: 200, loaded: expected });
});
