/** Functions with a start cache: the asset of the stack, its hash, and the warnings. */
import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifyBundle } from '@sallyport/bundle';
import { Architecture, CapacityProvider, Code, Runtime, RuntimeFamily } from 'aws-cdk-lib/aws-lambda';
import { type App, AssetStaging, Lazy, type Stack } from 'aws-cdk-lib/core';
import { bundleFunction, ServiceFunction, type ServiceFunctionProps } from '../src/index.js';
import { newProject } from './support/folders.js';
import { newStack } from './support/synth.js';

const MAJOR = process.versions.node.split('.')[0];
const runtime = new Runtime(`nodejs${MAJOR}.x`, RuntimeFamily.NODEJS, { supportsSnapStart: true });
const architecture = process.arch === 'arm64' ? Architecture.ARM_64 : Architecture.X86_64;

/** Replaces the container tool and the bootstrap of AWS's image; the maker is real. */
const CONTAINER_TOOL = `#!/bin/sh
while [ $# -gt 1 ]; do
  case "$1" in
    --volume) case "$2" in *:/sallyport) work=\${2%:*} ;; *:/var/task) task=\${2%:*} ;; esac; shift ;;
    --env) export "$2"; shift ;;
  esac
  shift
done
export LAMBDA_TASK_ROOT="$task"
exec "$work/wrapper.sh" "${process.execPath}" --expose-gc "--max-old-space-size=$AWS_LAMBDA_FUNCTION_MEMORY_SIZE" /var/runtime/index.mjs
`;
const tools = newProject({ docker: CONTAINER_TOOL });
chmodSync(join(tools, 'docker'), 0o755);

const entry = join(
  newProject({
    'lambda.ts':
      "if (process.env.TABLE !== 'notes') throw new Error('TABLE is not set');\nexport const main = async () => 1;\n",
  }),
  'lambda.ts',
);

beforeEach(() => {
  AssetStaging.clearAssetHashCache();
  process.env.CDK_DOCKER = join(tools, 'docker');
});
afterAll(() => {
  delete process.env.CDK_DOCKER;
});

function newFunction(props: Partial<ServiceFunctionProps> = {}, stack: Stack = newStack()): ServiceFunction {
  const environment = { TABLE: 'notes', QUEUE: Lazy.string({ produce: () => 'orders' }) };
  const handler = 'index.main';
  return new ServiceFunction(stack, 'Api', {
    entry,
    runtime,
    architecture,
    environment,
    handler,
    startCache: true,
    ...props,
  });
}

function assetOf({ node }: ServiceFunction): string {
  const { directory } = (node.root as App).synth();
  return join(directory, readdirSync(directory).find((name) => name.startsWith('asset.')) ?? '');
}

const warningsOf = ({ node }: ServiceFunction) =>
  node.metadata.flatMap(({ data }) => (/start cache/.test(String(data)) ? [String(data)] : []));

it('the asset has the loader and a cache for the memory of the function, and no warning', () => {
  const service = newFunction({ memorySize: 512 });
  const asset = assetOf(service);
  const names = readdirSync(asset).map((name) => name.replace(/^start-.*\.cache$/, 'start-TAG.cache'));
  expect(names.sort()).toEqual(['app.js', 'app.js.map', 'index.js', 'package.json', 'start-TAG.cache', 'start.json']);
  expect(verifyBundle(asset)).toEqual([]);
  expect(warningsOf(service)).toEqual([]);
});

it('the hash of the asset is the same for two makes, and differs for another memory size', () => {
  const hashOf = (memorySize: number) => {
    AssetStaging.clearAssetHashCache();
    return assetOf(newFunction({ memorySize })).split('asset.')[1];
  };
  const first = hashOf(512);
  expect(hashOf(512)).toBe(first);
  expect(hashOf(1024)).not.toBe(first);
});

it.each<[string, () => ServiceFunction, RegExp]>([
  [
    'a machine without a container tool',
    () => {
      process.env.CDK_DOCKER = '/no/such/docker';
      return newFunction();
    },
    /The function has no start cache: public\.ecr\.aws\/lambda\/nodejs:\d+: the container tool "\/no\/such\/docker" is not installed/,
  ],
  [
    'an application that needs a variable which is only known after deployment',
    () => newFunction({ environment: { TABLE: Lazy.string({ produce: () => 'notes' }) } }),
    /The function has no start cache: the application does not load in the maker: Error: TABLE is not set\./,
  ],
  [
    'an application that needs ES modules',
    () => newFunction({ entry: join(newProject({ 'a.ts': 'export const main = await 1;\n' }), 'a.ts') }),
    /The function has no start cache: it needs CommonJS: .*Top-level await/,
  ],
  ['snapshots', () => newFunction({ snapStart: true }), /no start cache: a snapshot starts with code that is loaded/],
  [
    'Managed Instances',
    () => {
      const stack = newStack();
      return newFunction({ computeProvider: CapacityProvider.fromCapacityProviderName(stack, 'C', 'shared') }, stack);
    },
    /no start cache: Managed Instances load the code before their first request/,
  ],
  [
    'memory that is a token',
    () => newFunction({ memorySize: Lazy.number({ produce: () => 512 }) }),
    /no start cache: memorySize is a token, and the flags of Node depend on its value/,
  ],
  [
    'provisioned concurrency',
    () => {
      const service = newFunction();
      service.fn.addAlias('live', { provisionedConcurrentExecutions: 2 });
      return service;
    },
    /The start cache gains nothing for Test\/Api\/Resource\/Aliaslive\/Resource: provisioned concurrency/,
  ],
])('a warning has the reason: %s', (_name, make, warning) => {
  const service = make();
  assetOf(service);
  expect(warningsOf(service).join('\n')).toMatch(warning);
});

it('bundleFunction makes a cache with the Node of this machine, for tests', () => {
  const stack = newStack();
  const startCache = { environment: { TABLE: 'notes' }, handler: 'main' };
  const code = bundleFunction(stack, { entry, target: `node${MAJOR}`, startCache });
  const asset = assetOf(new ServiceFunction(stack, 'Api', { code, runtime }));
  expect(readFileSync(join(asset, 'index.js'), 'utf8')).toContain('Written by @sallyport/bundle');
});

it('startCache with code is an error, and so is a wrong option', () => {
  const code = Code.fromInline('exports.handler = 1');
  expect(() => new ServiceFunction(newStack(), 'T', { code, startCache: true })).toThrow(
    expect.failure(
      'constructs.invalid_prop',
      'ServiceFunction: startCache',
      '"entry"',
      'bundleFunction',
      '(at Test/T)',
    ),
  );
  const wrong = { memory: [1] };
  expect(() => bundleFunction(newStack(), { entry, startCache: wrong })).toThrow(
    expect.failure('constructs.invalid_prop', 'option "memory[0]"', '(at Test)'),
  );
});
