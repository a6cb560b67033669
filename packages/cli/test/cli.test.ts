import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { BUILD_COMMAND, MANIFEST_COMMAND } from '@sallyport/bundle/command';
import { LOCAL_COMMANDS } from '@sallyport/local/command';
import type { Command } from '../src/internal/command.js';
import { commandsOf, createLoad, type Load } from '../src/internal/load.js';
import { OWNERS } from '../src/internal/owners.js';
import { runCli } from '../src/internal/run-cli.js';

const owner = (name: string) => OWNERS.find(({ package: one }) => one === name) as (typeof OWNERS)[number];
const LOCAL = owner('@sallyport/local');

/** Runs a command line. The loaded commands print their arguments and end with 7. */
async function run(args: readonly string[], load?: Load) {
  const output = { out: '', err: '' };
  const around = {
    cwd: tmpdir(),
    environment: {},
    out: (text: string) => {
      output.out += text;
    },
    err: (text: string) => {
      output.err += text;
    },
    input: async () => '',
    signal: new AbortController().signal,
  };
  return { code: await runCli(args, around, load), ...output };
}

const dev: Command = {
  usage: 'dev [entry]',
  does: 'runs it',
  flags: {
    port: { type: 'number', help: 'the first port' },
    pass: { type: 'text', multiple: true, help: 'a variable' },
    open: { type: 'boolean', help: 'open it' },
  },
  run: async (args, { out }) => {
    out(`ran ${args.join(' ')}\n`);
    return 7;
  },
};
const installed: Load = async () => [dev];
const nothing: Load = async () => undefined;

test('a command runs with its arguments, and the process ends with its exit code', async () => {
  expect(await run(['dev', 'a.ts', '--port', '1'], installed)).toEqual({
    code: 7,
    out: 'ran a.ts --port 1\n',
    err: '',
  });
});

test.each([[['dev', '--help']], [['help', 'dev']], [['--help', 'dev']]])('%j lists the flags', async (args) => {
  expect(await run(args, installed)).toEqual({
    code: 0,
    err: '',
    out: `usage: sallyport dev [entry]

runs it

  --port <number>                the first port
  --pass <text>                  a variable (repeatable)
  --open                         open it
`,
  });
});

test.each([
  [[], 2],
  [['--help'], 0],
  [['help'], 0],
])('%j lists the commands and their packages, and loads none', async (args, code) => {
  const result = await run(args, async () => {
    throw new Error('loaded');
  });
  expect(result).toEqual({ code, err: '', out: expect.stringContaining('  sallyport dev       runs the function') });
  expect(result.out).toContain('@sallyport/bundle (npm install --save-dev @sallyport/bundle)\n  sallyport build');
  expect(result.out).toContain('exit code: 0 success');
});

test('an unknown command ends with 2, the nearest command and the list', async () => {
  const { code, err } = await run(['dve'], installed);
  expect(code).toBe(2);
  expect(err).toMatch(/^sallyport: the command dve does not exist \(did you mean "dev"\?\)\n\n@sallyport\/local \(npm/);
  expect((await run(['frobnicate'], installed)).err).toMatch(/^sallyport: the command frobnicate does not exist\n\n@/);
  expect((await run(['toString'], installed)).code).toBe(2);
});

test('a command whose package is not installed names it', async () => {
  expect(await run(['build'], nothing)).toEqual({
    code: 2,
    out: '',
    err: 'sallyport: the command build is in @sallyport/bundle, which is not installed in this project: npm install --save-dev @sallyport/bundle\n',
  });
  expect((await run(['send'], installed)).err).toBe(
    'sallyport: the installed version of @sallyport/local does not have the command send: update it\n',
  );
});

test('the version equals the version of this package', async () => {
  expect((await run(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test.each([
  ['@sallyport/local', Object.values(LOCAL_COMMANDS)],
  ['@sallyport/bundle', [BUILD_COMMAND, MANIFEST_COMMAND]],
] as const)('the table of %s equals the commands of the package', (name, commands) => {
  const given = commands.map(({ usage, does }) => [usage.split(' ')[0], does]);
  expect(Object.entries(owner(name).commands)).toEqual(given);
});

describe('the package of the project', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sallyport-cli-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };

  test('is preferred to a package that is installed next to this command', async () => {
    write('package.json', '{}');
    const at = 'node_modules/@sallyport/local';
    write(
      `${at}/package.json`,
      '{ "name": "@sallyport/local", "type": "module", "exports": { "./command": "./c.mjs" } }',
    );
    write(
      `${at}/c.mjs`,
      "export const ALL = { dev: { usage: 'dev', does: 'theirs', flags: {}, run: async () => 0 } };",
    );
    expect(await createLoad(folder)(LOCAL)).toMatchObject([{ does: 'theirs' }]);
  });

  test('is absent', async () => {
    expect(await createLoad(folder)({ ...LOCAL, entry: '@sallyport/nothing/command' })).toBeUndefined();
  });
});

test('commands are found as single exports and in objects', () => {
  expect(commandsOf({ A: dev, B: { dev, other: 1 }, C: null, D: 'text' })).toEqual([dev, dev]);
});
