import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readGraph } from './graph-reader.js';
import { judgeGraph } from './graph-rules.js';

type Tree = Record<string, string>;

function manifest(
  name: string,
  rest: object = {},
  subpaths: Record<string, string> = { '.': './src/index.ts' },
): string {
  const exports = Object.fromEntries(
    Object.entries(subpaths).map(([subpath, source]) => [subpath, { '@sallyport/source': source }]),
  );
  return JSON.stringify({ name: `@sallyport/${name}`, exports, ...rest });
}

const references = (...paths: string[]) => JSON.stringify({ references: paths.map((path) => ({ path })) });

/** A small workspace that satisfies every rule. */
const SOUND: Tree = {
  'package.json': JSON.stringify({ name: 'root', devDependencies: { esbuild: 'catalog:' } }),
  'tsconfig.json': references(
    'packages/core',
    'packages/http',
    'packages/dispatch',
    'packages/jobs',
    'packages/testkit',
  ),
  'packages/core/package.json': manifest('core', {}, { '.': './src/index.ts', './testing': './src/testing.ts' }),
  'packages/core/tsconfig.json': references(),
  'packages/core/src/index.ts': "export { clock } from './clock.js';",
  'packages/core/src/clock.ts': "import { types } from 'node:util';\nexport const clock = types;",
  'packages/core/src/testing.ts': "export { manual } from './manual.js';",
  'packages/core/src/manual.ts': "import { clock } from './clock.js';\nexport const manual = clock;",
  'packages/http/package.json': manifest(
    'http',
    {
      dependencies: { '@sallyport/core': 'workspace:*' },
      devDependencies: { 'fast-check': 'catalog:', '@sallyport/testkit': 'workspace:*' },
      peerDependencies: { '@aws-sdk/client-apigatewaymanagementapi': '^3.0.0' },
      peerDependenciesMeta: { '@aws-sdk/client-apigatewaymanagementapi': { optional: true } },
    },
    { '.': './src/index.ts', './websocket': './src/websocket.ts' },
  ),
  'packages/http/tsconfig.json': references('../core'),
  'packages/http/src/index.ts': "export { clock } from '@sallyport/core';",
  'packages/http/src/websocket.ts': "export const client = () => import('@aws-sdk/client-apigatewaymanagementapi');",
  'packages/http/test/http.test.ts':
    "import { manual } from '@sallyport/core/testing';\nimport '@sallyport/testkit';\nmanual;",
  'packages/dispatch/package.json': manifest(
    'dispatch',
    { dependencies: { '@sallyport/core': 'workspace:*', '@sallyport/http': 'workspace:*' } },
    { '.': './src/index.ts', './app': './src/app.ts' },
  ),
  'packages/dispatch/tsconfig.json': references('../core', '../http'),
  'packages/dispatch/src/index.ts': "export { clock } from '@sallyport/core';",
  'packages/dispatch/src/app.ts': "export { clock } from '@sallyport/http';",
  'packages/jobs/package.json': manifest('jobs', {
    peerDependencies: { '@aws-sdk/client-dynamodb': '^3.0.0' },
    peerDependenciesMeta: { '@aws-sdk/client-dynamodb': { optional: true } },
  }),
  'packages/jobs/tsconfig.json': references(),
  'packages/jobs/src/index.ts':
    "import type { A } from '@aws-sdk/client-dynamodb';\nexport const load = (): Promise<A> => import('@aws-sdk/client-dynamodb');",
  'packages/testkit/package.json': manifest('testkit', { dependencies: { '@sallyport/core': 'workspace:*' } }),
  'packages/testkit/tsconfig.json': references('../core'),
  'packages/testkit/src/index.ts': "export { manual } from '@sallyport/core/testing';",
};

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sallyport-graph-'));
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

async function judge(planted: Tree): Promise<readonly string[]> {
  for (const [file, text] of Object.entries({ ...SOUND, ...planted })) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  return judgeGraph(await readGraph(root, ['packages']));
}

it('finds nothing in a sound workspace', async () => {
  expect(await judge({})).toEqual([]);
});

const httpManifest = (rest: object) =>
  manifest(
    'http',
    {
      dependencies: { '@sallyport/core': 'workspace:*' },
      devDependencies: { '@sallyport/testkit': 'workspace:*' },
      ...rest,
    },
    { '.': './src/index.ts', './websocket': './src/websocket.ts' },
  );
const OPTIONAL_CLIENT = {
  peerDependencies: { '@aws-sdk/client-apigatewaymanagementapi': '^3.0.0' },
  peerDependenciesMeta: { '@aws-sdk/client-apigatewaymanagementapi': { optional: true } },
};

const VIOLATIONS: readonly [string, Tree, string][] = [
  [
    'a runtime dependency of core',
    {
      'packages/core/package.json': manifest(
        'core',
        { dependencies: { ms: 'catalog:' } },
        { '.': './src/index.ts', './testing': './src/testing.ts' },
      ),
    },
    'closed packages stand alone: @sallyport/core depends on ms',
  ],
  [
    'a dependency of a closed package outside the workspace',
    {
      'packages/http/package.json': httpManifest({
        ...OPTIONAL_CLIENT,
        dependencies: { '@sallyport/core': 'workspace:*', cookie: 'catalog:' },
      }),
    },
    'closed packages stand alone: @sallyport/http depends on cookie',
  ],
  [
    'a peer that is not listed',
    {
      'packages/http/package.json': httpManifest({
        peerDependencies: { jose: '^6.0.0', ...OPTIONAL_CLIENT.peerDependencies },
        peerDependenciesMeta: { jose: { optional: true }, ...OPTIONAL_CLIENT.peerDependenciesMeta },
      }),
    },
    'closed packages stand alone: @sallyport/http has the peer jose',
  ],
  [
    'a listed peer that is not optional',
    { 'packages/http/package.json': httpManifest({ ...OPTIONAL_CLIENT, peerDependenciesMeta: {} }) },
    'closed packages stand alone: @sallyport/http: its peer @aws-sdk/client-apigatewaymanagementapi is not optional',
  ],
  [
    'an import of a closed package from outside',
    { 'packages/core/src/clock.ts': "export { default as clock } from 'ms';" },
    'closed packages import nothing: packages/core/src/clock.ts imports ms',
  ],
  [
    'a listed peer reached from the root entry',
    { 'packages/http/src/index.ts': "export { client } from './websocket.js';" },
    'peers stay in their entries: @sallyport/http reaches @aws-sdk/client-apigatewaymanagementapi (packages/http/src/websocket.ts)',
  ],
  [
    'a client imported statically, though in its own entry',
    { 'packages/http/src/websocket.ts': "export { X } from '@aws-sdk/client-apigatewaymanagementapi';" },
    'AWS clients are lazy: packages/http/src/websocket.ts imports @aws-sdk/client-apigatewaymanagementapi statically',
  ],
  [
    'a client imported by a package that owns none',
    { 'packages/testkit/src/index.ts': "export const load = () => import('@aws-sdk/client-sqs');" },
    'AWS clients are lazy: packages/testkit/src/index.ts imports @aws-sdk/client-sqs, which @sallyport/testkit may not have',
  ],
  [
    'a client that a closed package reaches through its owner',
    {
      'packages/core/src/clock.ts': "export { load as clock } from '@sallyport/jobs';",
    },
    'AWS clients are lazy: @sallyport/core reaches @aws-sdk/client-dynamodb (packages/jobs/src/index.ts)',
  ],
  [
    'a client that is a dependency',
    {
      'packages/jobs/package.json': manifest('jobs', { dependencies: { '@aws-sdk/client-dynamodb': 'catalog:' } }),
    },
    'AWS clients are optional peers: @sallyport/jobs depends on @aws-sdk/client-dynamodb',
  ],
  [
    'a client that everybody has to install',
    {
      'packages/jobs/package.json': manifest('jobs', { peerDependencies: { '@aws-sdk/client-dynamodb': '^3.0.0' } }),
    },
    'AWS clients are optional peers: @sallyport/jobs: its peer @aws-sdk/client-dynamodb is not optional',
  ],
  [
    'a dependency that the architecture does not allow',
    {
      'packages/http/package.json': httpManifest({
        ...OPTIONAL_CLIENT,
        dependencies: { '@sallyport/core': 'workspace:*', '@sallyport/jobs': 'workspace:*' },
      }),
    },
    'workspace dependencies: @sallyport/http depends on @sallyport/jobs',
  ],
  [
    'a lean entry that reaches more than it promises',
    { 'packages/dispatch/src/index.ts': "export { clock } from '@sallyport/http';" },
    'lean entries: @sallyport/dispatch reaches packages/http/src/index.ts',
  ],
  [
    'a cycle',
    { 'packages/jobs/package.json': manifest('jobs', { dependencies: { '@sallyport/jobs': 'workspace:*' } }) },
    'no cycle: @sallyport/jobs → @sallyport/jobs',
  ],
  [
    'a cycle through another package',
    {
      'packages/jobs/package.json': manifest('jobs', { dependencies: { '@sallyport/testkit': 'workspace:*' } }),
      'packages/testkit/package.json': manifest('testkit', { peerDependencies: { '@sallyport/jobs': 'workspace:*' } }),
    },
    'no cycle: @sallyport/jobs → @sallyport/testkit → @sallyport/jobs',
  ],
  [
    "an import of another package's internals",
    { 'packages/http/src/index.ts': "export { x } from '@sallyport/core/src/internal/x.js';" },
    'declared imports: packages/http/src/index.ts imports @sallyport/core/src/internal/x.js, which @sallyport/core does not export',
  ],
  [
    'a type imported from an undeclared path',
    { 'packages/http/src/index.ts': "import type { X } from '@sallyport/core/clock';\nexport type Y = X;" },
    'declared imports: packages/http/src/index.ts imports @sallyport/core/clock, which @sallyport/core does not export',
  ],
  [
    'a relative import into another package',
    { 'packages/http/test/http.test.ts': "import '../../core/src/clock.js';" },
    'declared imports: packages/http/test/http.test.ts imports ../../core/src/clock.js, a file of @sallyport/core',
  ],
  [
    'an import of an undeclared package',
    { 'packages/jobs/src/clock.ts': "export { clock } from '@sallyport/core';" },
    'declared imports: packages/jobs/src/clock.ts imports @sallyport/core, undeclared',
  ],
  [
    'a source that imports a dependency of the tests',
    { 'packages/http/src/other.ts': "import type { X } from '@sallyport/testkit';\nexport type Y = X;" },
    'declared imports: packages/http/src/other.ts imports @sallyport/testkit, undeclared',
  ],
  [
    'an import of a package that does not exist',
    { 'packages/jobs/src/clock.ts': "export { clock } from '@sallyport/clock';" },
    'declared imports: packages/jobs/src/clock.ts imports @sallyport/clock, which does not exist',
  ],
  [
    'a test helper that the root entry reaches',
    { 'packages/core/src/index.ts': "export { clock } from './clock.js';\nexport { manual } from './manual.js';" },
    'test helpers stay apart: @sallyport/core reaches packages/core/src/manual.ts',
  ],
  [
    'a catalogue for tools that the root entry reaches',
    {
      'packages/core/package.json': manifest(
        'core',
        {},
        { '.': './src/index.ts', './testing': './src/testing.ts', './catalogue': './src/clock.ts' },
      ),
    },
    'test helpers stay apart: @sallyport/core reaches packages/core/src/clock.ts',
  ],
  [
    'a test helper of another package that an entry reaches lazily',
    { 'packages/dispatch/src/app.ts': "export const manual = () => import('@sallyport/core/testing');" },
    'test helpers stay apart: @sallyport/dispatch/app reaches packages/core/src/testing.ts',
  ],
  [
    'the test kit reached at run time',
    { 'packages/jobs/src/index.ts': "export * from '@sallyport/testkit';" },
    'test helpers stay apart: @sallyport/jobs reaches packages/testkit/src/index.ts',
  ],
  [
    'a version beside the catalog',
    { 'packages/jobs/package.json': manifest('jobs', { devDependencies: { esbuild: '0.27.0' } }) },
    'one version each: @sallyport/jobs wants esbuild 0.27.0, not catalog:',
  ],
  [
    'two versions of one dependency',
    { 'packages/jobs/package.json': manifest('jobs', { devDependencies: { esbuild: '0.27.0' } }) },
    'one version each: esbuild is wanted as 0.27.0 (@sallyport/jobs) and catalog: (root)',
  ],
  [
    'a package that the build does not know',
    { 'tsconfig.json': references('packages/core', 'packages/http', 'packages/dispatch', 'packages/jobs') },
    'tsconfig references: tsconfig.json does not refer to packages/testkit',
  ],
  [
    'a dependency that the tsconfig does not know',
    { 'packages/dispatch/tsconfig.json': references('../core') },
    'tsconfig references: packages/dispatch/tsconfig.json does not refer to packages/http',
  ],
  [
    'an import of all of the CDK',
    { 'packages/jobs/src/index.ts': "import { App } from 'aws-cdk-lib';\nexport const app = App;" },
    'subpaths only: packages/jobs/src/index.ts imports aws-cdk-lib instead of a subpath',
  ],
  [
    'constructs that load what a package runs',
    {
      'packages/jobs/package.json': JSON.stringify({
        name: '@sallyport/constructs',
        exports: { '.': { '@sallyport/source': './src/index.ts' } },
        dependencies: { '@sallyport/http': 'workspace:*' },
      }),
      'packages/jobs/src/index.ts': "export { clock } from '@sallyport/http';",
    },
    'entries only: packages/jobs/src/index.ts imports @sallyport/http',
  ],
  [
    'a sub-path without a source',
    { 'packages/jobs/package.json': manifest('jobs', {}, { '.': './src/main.ts' }) },
    'entries exist: @sallyport/jobs has no source',
  ],
];

it.each(VIOLATIONS)('finds %s', async (_name, planted, finding) => {
  expect(await judge(planted)).toContain(finding);
});
