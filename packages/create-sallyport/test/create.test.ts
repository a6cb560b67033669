import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { runCreate } from '../src/internal/command.js';
import { MANAGERS } from '../src/internal/managers.js';
import { createManifest } from '../src/internal/manifest.js';
import { createProject, type ProjectSpec } from '../src/internal/project.js';
import { createPrompt } from '../src/internal/prompt.js';
import { quoteForShell, writeProject } from '../src/internal/target.js';
import { INFRAS, TEMPLATES, type TemplateName } from '../src/internal/templates.js';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'sallyport-create-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

interface Outcome {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

async function create(
  args: readonly string[],
  environment: Record<string, string> = {},
  answers?: string[],
): Promise<Outcome> {
  const written = { out: '', err: '' };
  const exitCode = await runCreate(args, {
    cwd,
    environment,
    out: (text) => {
      written.out += text;
    },
    err: (text) => {
      written.err += text;
    },
    ask: answers && (async () => answers.shift() ?? ''),
  });
  return { exitCode, ...written };
}

const spec = (part: Partial<ProjectSpec> = {}): ProjectSpec => ({
  names: { app: 'orderService', package: 'order-service', class: 'OrderService' },
  template: 'api',
  infra: 'cdk',
  packageManager: 'npm',
  ...part,
});
const KINDS = (Object.keys(TEMPLATES) as TemplateName[]).flatMap((template) =>
  INFRAS.flatMap((infra) => MANAGERS.map((packageManager) => [template, infra, packageManager] as const)),
);

describe('a project', () => {
  it('has these files', () => {
    expect([...createProject(spec()).keys()]).toEqual([
      '.editorconfig',
      '.github/workflows/ci.yml',
      '.gitignore',
      '.vscode/launch.json',
      'README.md',
      'biome.json',
      'cdk.json',
      'infra/app.ts',
      'infra/stack.ts',
      'package.json',
      'sallyport.json',
      'scripts/build.ts',
      'scripts/bundle.ts',
      'src/app.ts',
      'src/handlers/notes.ts',
      'src/lambda.ts',
      'src/principal.ts',
      'test/bundle.test.ts',
      'test/cases.ts',
      'test/http-stack.test.ts',
      'test/notes.cases.ts',
      'test/notes.test.ts',
      'tsconfig.json',
      'vitest.config.ts',
    ]);
  });

  it.each(KINDS)(
    'of %s, %s, %s is complete, the same each time, and names no moving version',
    (template, infra, packageManager) => {
      const files = createProject(spec({ template, infra, packageManager }));
      expect([...createProject(spec({ template, infra, packageManager }))]).toEqual([...files]);
      for (const [path, text] of files) {
        expect([path, /__[A-Z]+(?:_[A-Z]+)*__/.exec(text)?.[0]]).toEqual([path, undefined]);
        expect([path, /createApp|dispatch\/app|: any\b|as any\b|<any>/.exec(text)?.[0]]).toEqual([path, undefined]);
      }
      const manifest = JSON.parse(files.get('package.json') ?? '') as Record<string, Record<string, string>>;
      const ranges = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
      for (const [name, range] of ranges) {
        expect(`${name} ${range}`).toMatch(/^\S+ \^\d+\.\d+\.\d+$/);
      }
      expect(manifest.packageManager).toBeUndefined();
      expect([...files.keys()].some((path) => path.startsWith('infra/'))).toBe(infra === 'cdk');
      const settings = ['pnpm-workspace.yaml', '.yarnrc.yml', 'yarn.lock'].filter((path) => files.has(path));
      expect(settings).toEqual(
        { npm: [], pnpm: ['pnpm-workspace.yaml'], yarn: ['.yarnrc.yml', 'yarn.lock'] }[packageManager],
      );
    },
  );

  it.each([
    ['cdk', 'npm', 'npm run typecheck && npm run lint && npm run test && npm run synth'],
    ['none', 'pnpm', 'pnpm run typecheck && pnpm run lint && pnpm run test && pnpm run build'],
  ] as const)('of %s, %s has the scripts of its infrastructure', (infra, packageManager, check) => {
    const manifest = createProject(spec({ infra, packageManager })).get('package.json') ?? '';
    const { scripts } = JSON.parse(manifest) as { scripts: Record<string, string> };
    const all = ['test', 'typecheck', 'lint', 'format', 'build', 'dev', 'contract'];
    expect(Object.keys(scripts)).toEqual([
      ...all,
      ...(infra === 'cdk' ? ['synth', 'deploy', 'destroy', 'check'] : ['check']),
    ]);
    expect(scripts.check).toBe(check);
  });

  it.each([
    ['', '--otherwise git:origin/main'],
    ['notes-a notes-b', '--against stack:notes-a --against stack:notes-b --otherwise git:origin/main'],
  ])('compares its contract in CI with each of the stacks "%s", with the client that this needs', (STACKS, args) => {
    const files = createProject(spec({}));
    const [, step = ''] =
      /- run: npx sallyport (contract check .*)/.exec(files.get('.github/workflows/ci.yml') ?? '') ?? [];
    const { stdout: said } = spawnSync('sh', ['-c', `echo ${step}`], {
      env: { PATH: process.env.PATH, STACKS },
      encoding: 'utf8',
    });
    expect(said).toBe(`contract check ${args}\n`);
    expect(files.get('package.json')).toContain('"@aws-sdk/client-cloudformation": "^3.');
  });

  it.each([
    ['cdk', ['@sallyport/constructs', 'aws-cdk-lib', 'constructs'], true],
    ['none', [], false],
  ] as const)('of %s depends on the CDK, and explains the stack, only with a stack', (infra, packages, explained) => {
    const files = createProject(spec({ infra }));
    const { devDependencies = {} } = JSON.parse(files.get('package.json') ?? '') as { devDependencies?: object };
    expect(Object.keys(devDependencies).filter((name) => /constructs|cdk/.test(name))).toEqual(packages);
    expect(files.get('README.md')?.includes('| `infra/stack.ts` |')).toBe(explained);
    expect(files.get('README.md')).not.toContain('__INFRA_ROW__');
  });

  it.each([
    ['api', '$audience'],
    ['graphql', '$audience'],
    ['mcp', '$api/mcp'],
    ['full', '$api/mcp'],
  ] as const)(
    'of %s runs locally unchanged: the command, the runtime, and tokens of its issuer',
    (template, audience) => {
      const files = createProject(spec({ template }));
      const { scripts, devDependencies } = JSON.parse(files.get('package.json') ?? '') as Record<string, object>;
      expect(scripts).toMatchObject({ dev: 'sallyport dev' });
      expect(Object.keys(devDependencies ?? {})).toEqual(
        expect.arrayContaining(['@sallyport/cli', '@sallyport/local']),
      );
      expect(JSON.parse(files.get('sallyport.json') ?? '')).toMatchObject({
        env: { JWT_ISSUER: '$issuer', JWT_JWKS_URI: '$jwks', JWT_AUDIENCE: audience },
      });
    },
  );

  it.each([
    ['npm', ['@sallyport/core', '@sallyport/http', '@sallyport/secure', 'zod'], 'npm ci', 'npm run check'],
    [
      'pnpm',
      ['@sallyport/core', '@sallyport/http', '@sallyport/secure', 'zod'],
      'npx --yes pnpm@12 install --frozen-lockfile',
      'npx --yes pnpm@12 run check',
    ],
    // yarn does not install peers.
    [
      'yarn',
      [
        '@sallyport/appsync',
        '@sallyport/core',
        '@sallyport/dispatch',
        '@sallyport/http',
        '@sallyport/secure',
        '@sallyport/streams',
        'zod',
      ],
      'npx --yes --package=@yarnpkg/cli-dist@4 yarn install --immutable',
      'npx --yes --package=@yarnpkg/cli-dist@4 yarn run check',
    ],
  ] as const)(
    'of %s has the dependencies that it installs, and a build that needs only Node and npm',
    (packageManager, dependencies, ...lines) => {
      const files = createProject(spec({ packageManager, infra: 'none' }));
      const manifest = JSON.parse(files.get('package.json') ?? '') as Record<string, object>;
      expect(Object.keys(manifest.dependencies ?? {})).toEqual(dependencies);
      const workflow = files.get('.github/workflows/ci.yml') ?? '';
      expect([...workflow.matchAll(/^ {6}- run: (.*)$/gm)].map(([, line]) => line).slice(0, 2)).toEqual(lines);
    },
  );

  it('depends on no package without a version', () => {
    const template = { ...TEMPLATES.api, libraries: ['left-pad'] };
    expect(() => createManifest(spec().names, template, 'none', 'npm')).toThrow(
      'versions.json lists no version of left-pad: add it to scripts/docs/versions.ts, then run npm run docs',
    );
  });

  it('imports only its dependencies', () => {
    for (const [template, infra, packageManager] of KINDS) {
      const files = createProject(spec({ template, infra, packageManager }));
      const manifest = JSON.parse(files.get('package.json') ?? '') as Record<string, Record<string, string>>;
      const known = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
      const imported = [...files].flatMap(([path, text]) =>
        path.endsWith('.ts')
          ? [...text.matchAll(/from '((?:@[\w-]+\/)?[\w-]+)[^':]*'/g)].map(([, name = '']) => name)
          : [],
      );
      expect(imported.filter((name) => !known.includes(name))).toEqual([]);
      const runtime = [...files]
        .filter(([path]) => path.startsWith('src/'))
        .map(([, text]) => text)
        .join('');
      const unused = Object.keys(manifest.dependencies ?? {}).filter(
        // Imported by our packages, which leave the installation to the application.
        // yarn does not install peers.
        (name) =>
          name !== '@aws-sdk/client-dynamodb' &&
          !runtime.includes(`'${name}`) &&
          !(packageManager === 'yarn' && name.startsWith('@sallyport/')),
      );
      expect([template, unused]).toEqual([template, []]);
    }
  });

  it.each([
    ['api', ["'/health'"]],
    ['events', []],
    ['graphql', []],
    ['websocket', []],
    // Next to these mcpDiscovery registers the metadata document with the issuer; clients read it before they have a token.
    ['mcp', []],
    ['full', ["'/health'"]],
  ] as const)('of %s has a posture on every operation, and these public ones: %j', (template, open) => {
    const app = createProject(spec({ template })).get('src/app.ts') ?? '';
    const operations = app.match(/app\.(?:get|put|post|delete|webSocket|appSyncField)\(.*|mountMcp\(app.*/g) ?? [];
    const publicOnes = operations.filter((line) => line.includes('Public()'));
    expect(publicOnes.map((line) => /\(([^,]+),/.exec(line)?.[1])).toEqual(open);
    expect(operations.filter((line) => !/(?:Public|Optional|Authenticated)\(/.test(line))).toEqual([]);
    const optional = operations.filter((line) => line.includes('Optional()'));
    expect(optional.every((line) => line.includes("'$disconnect'"))).toBe(true);
  });

  it('carries the recommended flags of the CDK that it depends on', () => {
    const flags = new URL('../node_modules/aws-cdk-lib/recommended-feature-flags.json', import.meta.url);
    const { context } = JSON.parse(createProject(spec()).get('cdk.json') ?? '') as { context: unknown };
    expect(context).toEqual(JSON.parse(readFileSync(flags, 'utf8')));
  });
});

describe('names', () => {
  it.each([
    ['my-service', 'my-service', 'MyService'],
    ['orderService', 'order-service', 'OrderService'],
    ['Notes_v2.api', 'notes-v2-api', 'NotesV2Api'],
  ])('%s becomes %s and %s', async (name, npm, type) => {
    expect(await create(['target', '--name', name])).toMatchObject({ exitCode: 0, err: '' });
    const file = (path: string) => readFileSync(join(cwd, 'target', path), 'utf8');
    expect(JSON.parse(file('package.json'))).toMatchObject({ name: npm });
    expect(file('infra/stack.ts')).toContain(`new Stack(app, '${type}')`);
    expect(file('README.md')).toContain(`# ${name}\n`);
  });

  it.each([
    'my service',
    'a"b',
    '../x',
    '1st',
    '.hidden',
    '_x',
    'con',
    'NUL',
    'com1',
    'node_modules',
    'naïve',
    'a/b',
    '',
    'x'.repeat(300),
    '$&',
    'a;rm -rf',
  ])('rejects the name %j and writes nothing', async (name) => {
    const { exitCode, out, err } = await create(['target', '--name', name]);
    expect([exitCode, out]).toEqual([2, '']);
    expect(err).toMatch(/^create-sallyport: .*(?:invalid name|longer than 100)/);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('names the remedy if the name of the directory is not valid', async () => {
    expect((await create(['my service'])).err).toMatch(
      /invalid name "my service": .*; pass another name with --name\n$/,
    );
    expect(await create(['my service', '--name', 'mine'])).toMatchObject({
      exitCode: 0,
      out: expect.stringContaining("  cd 'my service'\n"),
    });
  });
});

it.each([
  ['my-service', 'my-service'],
  ['../a/b_c.d@1', '../a/b_c.d@1'],
  ['my service', "'my service'"],
  ['a;touch pwned', "'a;touch pwned'"],
  ['$(touch pwned)', "'$(touch pwned)'"],
  ['a`touch pwned`', "'a`touch pwned`'"],
  ['a && touch pwned', "'a && touch pwned'"],
  ["a'b", "'a'\\''b'"],
  ['~root', "'~root'"],
  ['*', "'*'"],
  ['-rf', './-rf'],
  ['a\nb\u001b[2J', "'a?b?[2J'"],
  ['', "''"],
])('the path %j is printed as %s', (path, expected) => {
  expect(quoteForShell(path, 'linux')).toBe(expected);
});

it.each(['a;touch pwned', "it's $HOME", '-x y'])('a shell reads the printed path %j as that path', (path) => {
  const { stdout } = spawnSync('sh', ['-c', `printf %s ${quoteForShell(path, 'linux')}`], { encoding: 'utf8' });
  expect(stdout).toBe(path.startsWith('-') ? `./${path}` : path);
});

it('on Windows a path is quoted as both shells there read it', () => {
  expect(quoteForShell('C:\\work\\mine', 'win32')).toBe('C:\\work\\mine');
  expect(quoteForShell('my service & calc', 'win32')).toBe('"my service & calc"');
});

describe('the target', () => {
  const entries = (path = '') => readdirSync(join(cwd, path)).sort();

  it('may be deep, and an empty directory, and a repository without files', async () => {
    expect((await create(['a/b/first'])).exitCode).toBe(0);
    mkdirSync(join(cwd, 'empty', '.git'), { recursive: true });
    expect((await create(['empty'])).exitCode).toBe(0);
    expect(existsSync(join(cwd, 'empty', 'package.json'))).toBe(true);
    expect(entries('empty').filter((name) => name.includes('sallyport-'))).toEqual([]);
    expect(statSync(join(cwd, 'a/b/first')).mode & 0o777).toBe(0o755);
  });

  it('receives no files next to it if it exists: its parent may be on another disk', async () => {
    mkdirSync(join(cwd, 'empty'));
    const seen: (string | null)[] = [];
    const watcher = watch(cwd, (_event, name) => seen.push(name));
    expect((await create(['empty'])).exitCode).toBe(0);
    const isSeen = new Promise((resolve) => watcher.on('change', (_event, name) => name === 'last' && resolve(true)));
    writeFileSync(join(cwd, 'last'), '');
    await isSeen;
    watcher.close();
    expect(seen.filter((name) => name?.includes('sallyport-'))).toEqual([]);
  });

  it('can be the current directory', async () => {
    expect(await create(['.', '--name', 'here'])).toMatchObject({
      exitCode: 0,
      out: 'Created here. Next:\n\n  npm install\n  npm test\n  npm run check\n',
    });
    expect(entries()).toContain('package.json');
  });

  it.each<[string, () => void, string]>([
    ['a file', () => writeFileSync(join(cwd, 'target'), ''), 'is a file'],
    [
      'not empty',
      () => {
        mkdirSync(join(cwd, 'target'));
        writeFileSync(join(cwd, 'target', 'a'), '');
      },
      'is not empty: it contains a',
    ],
    [
      'a link',
      () => {
        mkdirSync(join(cwd, 'other'));
        symlinkSync(join(cwd, 'other'), join(cwd, 'target'));
      },
      'is a symbolic link',
    ],
    ['in a read-only directory', () => chmodSync(cwd, 0o555), 'is read-only'],
    ['read-only', () => mkdirSync(join(cwd, 'target'), { mode: 0o555 }), 'is read-only'],
  ])('is rejected when it is %s, and nothing is written', async (_name, prepare, problem) => {
    prepare();
    const before = entries();
    const { exitCode, out, err } = await create(['target']);
    expect([exitCode, out]).toEqual([2, '']);
    expect(err).toContain(problem);
    expect(entries()).toEqual(before);
    chmodSync(cwd, 0o755);
  });

  it('is rejected below a file', async () => {
    writeFileSync(join(cwd, 'file'), '');
    expect(await create(['file/target'])).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining('file is a file'),
    });
  });

  it('leaves no file when one cannot be written', () => {
    const files = new Map([
      ['a', 'a file'],
      ['a/b', 'a file below a file'],
    ]);
    expect(() => writeProject(join(cwd, 'target'), files)).toThrow(/EEXIST|ENOTDIR/);
    expect(entries()).toEqual([]);
  });

  it('is removed when a step fails, but not a directory that was there', async () => {
    mkdirSync(join(cwd, 'kept', '.git'), { recursive: true });
    // A path without npm.
    for (const name of ['new/deep', 'kept']) {
      const failed = { exitCode: 2, err: expect.stringContaining('npm install failed') };
      expect(await create([name, '--install'], { PATH: cwd })).toMatchObject(failed);
    }
    expect([entries(), entries('kept')]).toEqual([['kept'], ['.git']]);
  });

  it('is a repository with one commit when that is called for', async () => {
    const who = {
      PATH: process.env.PATH ?? '',
      GIT_AUTHOR_NAME: 'a',
      GIT_AUTHOR_EMAIL: 'a@example.com',
      GIT_COMMITTER_NAME: 'a',
      GIT_COMMITTER_EMAIL: 'a@example.com',
    };
    expect((await create(['target', '--git'], who)).exitCode).toBe(0);
    const log = spawnSync('git', ['log', '--format=%s'], { cwd: join(cwd, 'target'), encoding: 'utf8' });
    expect(log.stdout).toBe('A new service\n');
  });
});

describe('the command line', () => {
  it.each<[string, readonly string[], string]>([
    ['an unknown flag', ['x', '--magic'], "Unknown option '--magic'"],
    [
      'an unknown template',
      ['x', '--template', 'rest'],
      '--template must be one of api, events, graphql, websocket, mcp, full (got "rest")',
    ],
    ['a repeated flag', ['x', '--name', 'a', '--name', 'b'], '--name is given twice'],
    ['a missing value', ['x', '--name'], 'argument missing'],
    ['two directories', ['x', 'y'], 'pass one directory (got x y)'],
    ['an unknown infrastructure', ['x', '--infra', 'sam'], '--infra must be "cdk" or "none" (got "sam")'],
    [
      'an unknown package manager',
      ['x', '--package-manager', 'bun'],
      '--package-manager must be one of npm, pnpm, yarn (got "bun")',
    ],
    ['no directory', [], 'the directory is missing'],
    ['no directory, and nothing to be asked', ['--yes'], 'the directory is missing'],
  ])('rejects %s', async (_name, args, problem) => {
    const { exitCode, out, err } = await create(args);
    expect([exitCode, out]).toEqual([2, '']);
    expect(err).toContain(problem);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('prints help, the templates and its version', async () => {
    expect(await create(['--help'])).toMatchObject({
      exitCode: 0,
      err: '',
      out: expect.stringContaining('--package-manager'),
    });
    expect((await create(['--list'])).out.split('\n').map((line) => line.split(' ', 1)[0])).toEqual([
      'api',
      'events',
      'graphql',
      'websocket',
      'mcp',
      'full',
      '',
    ]);
    expect((await create(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('prompts for missing values in a terminal only', async () => {
    expect((await create([], {}, ['asked', 'events'])).exitCode).toBe(0);
    expect(readFileSync(join(cwd, 'asked', 'src/app.ts'), 'utf8')).toContain("app.queue('orders'");
    expect(await create([], { CI: 'true' }, ['never'])).toMatchObject({ exitCode: 2 });
    expect(await create([], {}, ['other', 'none'])).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining('unknown template "none"'),
    });
  });

  it('prompts on a terminal', async () => {
    const input = Object.assign(new PassThrough(), { isTTY: true });
    const output = Object.assign(new PassThrough(), { isTTY: true });
    const answer = createPrompt(input, output)?.('Directory: ');
    input.write('asked\n');
    expect(await answer).toBe('asked');
    output.end();
    expect(await text(output)).toContain('Directory: ');
    expect(input.isPaused()).toBe(true);
  });

  it.each([
    [true, false],
    [false, true],
    [undefined, undefined],
  ])('has no prompt if a terminal is its input: %s, its output: %s', (ofInput, ofOutput) => {
    const [input, output] = [ofInput, ofOutput].map((isTTY) => Object.assign(new PassThrough(), { isTTY }));
    expect(createPrompt(input as PassThrough, output as PassThrough)).toBeUndefined();
  });

  it('is read by a process without a terminal, which fails instead of waiting', () => {
    const main = fileURLToPath(new URL('../src/internal/main.ts', import.meta.url));
    const { status, stderr } = spawnSync(process.execPath, ['--import', 'tsx', main], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([2, expect.stringContaining('the directory is missing')]);
  });

  it('uses the package manager that called', async () => {
    await create(['x'], { npm_config_user_agent: 'pnpm/12.21.0 npm/? node/v22.0.0 linux x64' });
    expect(readFileSync(join(cwd, 'x', 'package.json'), 'utf8')).toContain('pnpm run typecheck');
    await create(['y'], { npm_config_user_agent: 'yarn/4.18.1 npm/? node/v22.0.0 linux x64' });
    expect(readFileSync(join(cwd, 'y', 'package.json'), 'utf8')).toContain('yarn run typecheck');
  });
});
