/** Applications for which no cache can be made: a warning with the reason, and a bundle that works. */
import { chmodSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { bundleFunction } from '../src/index.js';
import { bundle, MAJOR, newFolder, newProject, start } from './support/bundles.js';

const ANSWERS = 'export const handler = async () => 1;\n';
const EXTERNAL = {
  'node_modules/old/package.json': '{ "name": "old", "main": "index.js" }',
  'node_modules/old/index.js': 'exports.one = 1;\n',
  'node_modules/modern/package.json': '{ "name": "modern", "type": "module", "exports": { "import": "./index.js" } }',
  'node_modules/modern/index.js': 'export const one = 1;\n',
  'node_modules/module-main/package.json': '{ "name": "module-main", "type": "module", "main": "index.js" }',
  'node_modules/module-main/index.js': 'export const one = 1;\n',
};

describe('an application that needs ES modules has no cache, and index.mjs', () => {
  it.each<[string, string, RegExp]>([
    ['top-level await', `await Promise.resolve();\n${ANSWERS}`, /lambda\.ts:1: Top-level await/],
    [
      'import.meta',
      `export const here = import.meta.url;\n${ANSWERS}`,
      /lambda\.ts:1: "import\.meta" is not available/,
    ],
    [
      'import() of an external',
      `export const handler = () => import('old');\n`,
      /import\(\) of old, which is not bundled/,
    ],
    [
      'import() of an expression',
      `export const handler = (name: string) => import(name);\n`,
      /lambda\.ts:1: import\(\) of an expression/,
    ],
    [
      'an external without a require condition',
      `import { one } from 'modern';\nexport const handler = async () => one;\n`,
      /modern is not bundled and cannot be required/,
    ],
    [
      'an external that is an ES module',
      `import { one } from 'module-main';\nexport const handler = async () => one;\n`,
      /module-main is not bundled and cannot be required/,
    ],
    [
      'an external that is not installed',
      `import { one } from 'missing';\nexport const handler = async () => one;\n`,
      /missing is not bundled and cannot be required/,
    ],
  ])('%s', (_name, text, reason) => {
    const project = newProject({ 'lambda.ts': text, ...EXTERNAL });
    const made = bundle(join(project, 'lambda.ts'), {
      startCache: true,
      external: ['old', 'modern', 'module-main', 'missing'],
    });
    expect(made.format).toBe('esm');
    expect(made.file).toBe(join(made.folder, 'index.mjs'));
    expect(made.caches).toEqual([]);
    expect(made.warnings).toEqual([{ code: 'no_start_cache', reason: expect.stringMatching(/^it needs CommonJS: /) }]);
    expect(made.warnings[0]?.reason).toMatch(reason);
  });

  it('not for a package in CommonJS that is not bundled, a builtin, and an AWS client of the runtime', () => {
    const text = `import { one } from 'old';\nimport '@aws-sdk/client-sqs';\nconst NAME = '@aws-sdk/client-sns';\nexport const handler = async () => [one, (await import('node:path')).sep, await import(NAME).catch(() => 0)];\n`;
    const project = newProject({ 'lambda.ts': text, ...EXTERNAL, 'node_modules/@aws-sdk/client-sqs/index.js': '' });
    const { caches, warnings } = bundle(join(project, 'lambda.ts'), {
      startCache: { events: [] },
      external: ['old', '@aws-sdk/*'],
    });
    // The external packages are next to the function only in a layer.
    expect(caches).toEqual([]);
    expect(warnings[0]?.reason).toMatch(/does not load in the maker: Error: Cannot find module 'old'/);
  });
});

describe('an application that the maker cannot load has no cache, and its usual bundle', () => {
  it.each<[string, string, Readonly<Record<string, unknown>>, RegExp]>([
    [
      'it throws without its variables',
      `if (!process.env.TABLE) throw new Error('TABLE is not set');\n${ANSWERS}`,
      {},
      /does not load in the maker: Error: TABLE is not set$/,
    ],
    [
      'it does not end',
      `while (true);\n${ANSWERS}`,
      { timeout: 2 },
      /does not load in the maker: it did not end within 2 s$/,
    ],
    ['it ends the process', `process.exit(3);\n${ANSWERS}`, {}, /does not load in the maker: it ends the process$/],
    [
      'it kills the process',
      `process.kill(process.pid, 'SIGKILL');\n${ANSWERS}`,
      {},
      /does not load in the maker: it ended with SIGKILL$/,
    ],
  ])('%s', (_name, text, options, reason) => {
    const { format, caches, warnings, file, folder } = bundle(join(newProject({ 'lambda.ts': text }), 'lambda.ts'), {
      startCache: options,
    });
    expect({ format, caches, file }).toEqual({ format: 'cjs', caches: [], file: join(folder, 'index.js') });
    expect(warnings).toEqual([{ code: 'no_start_cache', reason: expect.stringMatching(reason) }]);
  });

  it('it has a cache with the variables that it needs', () => {
    const text = `if (!process.env.TABLE) throw new Error('TABLE is not set');\n${ANSWERS}`;
    const startCache = { environment: { TABLE: 'notes' } };
    const made = bundle(join(newProject({ 'lambda.ts': text }), 'lambda.ts'), { startCache });
    expect(made.warnings).toEqual([]);
    expect(start(made.folder, [{}], { variables: { TABLE: 'notes' } })).toMatchObject({ answers: [1], lines: [] });
  });
});

it('the maker has no credentials, regardless of the environment and the options', () => {
  process.env.AWS_SESSION_TOKEN = 'of this process';
  try {
    const text = `const found = Object.keys(process.env).filter((name) => /KEY|TOKEN|PROFILE|SECRET/.test(name));\nif (found.length > 0) throw new Error(found.join());\n${ANSWERS}`;
    const environment = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_PROFILE: 'c' };
    const { warnings, caches } = bundle(join(newProject({ 'lambda.ts': text }), 'lambda.ts'), {
      startCache: { environment },
    });
    expect(warnings).toEqual([]);
    expect(caches).toHaveLength(1);
  } finally {
    delete process.env.AWS_SESSION_TOKEN;
  }
});

describe('the maker rejects', () => {
  const calls: readonly (readonly [string, string, RegExp])[] = [
    [
      'a connection',
      "require('node:net').connect(PORT, '127.0.0.1').on('error', () => {})",
      /a connection to 127\.0\.0\.1:\d+/,
    ],
    [
      'a request',
      "require('node:http').get('http://127.0.0.1:PORT').on('error', () => {})",
      /a connection to 127\.0\.0\.1:\d+/,
    ],
    ['fetch', "fetch('http://127.0.0.1:PORT').catch(() => {})", /a connection to 127\.0\.0\.1:\d+/],
    ['TLS', "require('node:tls').connect(PORT, '127.0.0.1').on('error', () => {})", /a connection to 127\.0\.0\.1:\d+/],
    [
      'HTTP/2',
      "require('node:http2').connect('http://127.0.0.1:PORT').on('error', () => {})",
      /a connection to 127\.0\.0\.1:\d+/,
    ],
    [
      'a datagram',
      "require('node:dgram').createSocket('udp4').on('error', () => {}).send('x', PORT, '127.0.0.1')",
      /a datagram socket/,
    ],
    ['a look-up', "require('node:dns').lookup('example.com', () => {})", /the look-up of example\.com/],
    [
      'a resolver',
      "new (require('node:dns').promises.Resolver)().resolve4('example.com').catch(() => {})",
      /the look-up of example\.com/,
    ],
    ['a listener', "require('node:http').createServer().listen(0)", /a listener/],
    ['another process', "require('node:child_process').execSync('true')", /another process/],
    ['a worker', "new (require('node:worker_threads').Worker)('0', { eval: true })", /a worker/],
  ];
  it.each(calls)('%s, and reports it', async (_name, call, reason) => {
    let connections = 0;
    const server = createServer((socket) => {
      connections++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { readonly port: number };
    const text = `try { ${call.replace('PORT', String(port))}; } catch {}\nexports.handler = async () => 1;\n`;
    const made = bundle(join(newProject({ 'lambda.js': text }), 'lambda.js'), { startCache: { events: [{}] } });
    await new Promise((resolve) => server.close(resolve));
    expect(connections).toBe(0);
    expect(made.caches).toHaveLength(1);
    expect(made.warnings).toEqual([{ code: 'start_cache', reason: expect.stringMatching(reason) }]);
  });
});

describe('a Node that is not that of the function makes no cache', () => {
  const entry = () => join(newProject({ 'lambda.ts': ANSWERS }), 'lambda.ts');
  it.each<[string, Parameters<typeof bundle>[1], RegExp]>([
    ['another version', { target: 'node18', startCache: true }, /is v\d+\.\d+\.\d+, and the bundle is for node18$/],
    [
      'another architecture',
      { startCache: { architecture: process.arch === 'x64' ? 'arm64' : 'x64' } },
      /runs on \w+, and the function on \w+$/,
    ],
    [
      'an executable that does not start',
      { startCache: { node: ['/no/such/node'] } },
      /\/no\/such\/node: \/no\/such\/node does not start$/,
    ],
  ])('%s', (_name, options, reason) => {
    const made = bundle(entry(), options);
    expect(made.caches).toEqual([]);
    expect(made.warnings).toEqual([{ code: 'no_start_cache', reason: expect.stringMatching(reason) }]);
  });

  it('a machine without container tools', () => {
    process.env.CDK_DOCKER = '/no/such/docker';
    try {
      const { warnings } = bundle(entry(), { startCache: { inImage: true } });
      const reason = `public.ecr.aws/lambda/nodejs:${MAJOR}: the container tool "/no/such/docker" is not installed (the variable CDK_DOCKER names another command)`;
      expect(warnings).toEqual([{ code: 'no_start_cache', reason }]);
    } finally {
      delete process.env.CDK_DOCKER;
    }
  });
});

/**
 * Replaces the container tool and for AWS's image, neither of which every machine has: the bootstrap calls the wrapper with its flags and the
 * runtime client. Everything else is real.
 */
const CONTAINER_TOOL = `#!/bin/sh
echo "$@" >> "$(dirname "$0")/calls"
while [ $# -gt 1 ]; do
  case "$1" in
    --volume) case "$2" in *:/sallyport) work=\${2%:*} ;; *:/var/task) task=\${2%:*} ;; esac; shift ;;
    --env) export "$2"; shift ;;
  esac
  shift
done
export LAMBDA_TASK_ROOT="$task"
exec "$work/wrapper.sh" "NODE" --expose-gc --max-http-header-size 81920 --max-semi-space-size=25 --max-old-space-size=461 /var/runtime/index.mjs
`;

it('the image makes a cache with the flags from the bootstrap of the image', () => {
  const tools = newProject({ docker: CONTAINER_TOOL.replace('NODE', process.execPath) });
  chmodSync(join(tools, 'docker'), 0o755);
  process.env.CDK_DOCKER = join(tools, 'docker');
  try {
    const startCache = {
      inImage: true,
      memory: [512],
      architecture: process.arch === 'arm64' ? 'arm64' : 'x64',
    } as const;
    const made = bundle(join(newProject({ 'lambda.ts': ANSWERS }), 'lambda.ts'), { startCache });
    expect(made.warnings).toEqual([]);
    expect(made.caches[0]?.flags.slice(0, 3)).toEqual(['--expose-gc', '--max-http-header-size', '81920']);
    const calls = readFileSync(join(tools, 'calls'), 'utf8');
    expect(calls).toMatch(
      /^run --rm --network none --user \d+:\d+ --platform linux\/a(?:md|rm)64 --volume \S+:\/var\/task /,
    );
    expect(calls).toContain('--env AWS_LAMBDA_FUNCTION_MEMORY_SIZE=512');
    expect(calls).toContain('--env AWS_LAMBDA_EXEC_WRAPPER=/sallyport/wrapper.sh');
    expect(calls.trim()).toMatch(
      new RegExp(`--entrypoint /var/runtime/bootstrap public\\.ecr\\.aws/lambda/nodejs:${MAJOR}$`),
    );
    // Of "--expose-gc --max-http-header-size 81920 --max-old-space-size 461 --max-semi-space-size 25".
    expect(made.caches[0]?.name).toMatch(/-cbd809bc\.cache$/);
  } finally {
    delete process.env.CDK_DOCKER;
  }
});

it('inside the image its bootstrap is called without a container tool', () => {
  const text = `#!/bin/sh\nexec "$AWS_LAMBDA_EXEC_WRAPPER" "${process.execPath}" --expose-gc "--max-old-space-size=$AWS_LAMBDA_FUNCTION_MEMORY_SIZE" /var/runtime/index.mjs\n`;
  const runtime = newProject({ bootstrap: text });
  chmodSync(join(runtime, 'bootstrap'), 0o755);
  process.env.LAMBDA_RUNTIME_DIR = runtime;
  try {
    const startCache = { inImage: true, memory: [512, 1024] };
    const { caches, warnings } = bundle(join(newProject({ 'lambda.ts': ANSWERS }), 'lambda.ts'), { startCache });
    expect(warnings).toEqual([]);
    expect(caches.map(({ flags }) => flags)).toEqual([
      ['--expose-gc', '--max-old-space-size=512'],
      ['--expose-gc', '--max-old-space-size=1024'],
    ]);
  } finally {
    delete process.env.LAMBDA_RUNTIME_DIR;
  }
});

it.each<[object, RegExp]>([
  [{ memory: [64] }, /^framework: option "memory\[0\]" must be a whole number from 128 to 10,240$/],
  [{ memory: 256 }, /^framework: option "memory" must be a list/],
  [{ arch: 'x64' }, /^framework: unknown option "arch"; known are memory, inImage/],
  [{ environment: { A: 1 } }, /^framework: option "environment" must be an object of strings$/],
])('rejects %j before it builds', (startCache, message) => {
  expect(() => bundleFunction({ entry: 'no-such-file.ts', outdir: newFolder(), startCache })).toThrow(message);
});
