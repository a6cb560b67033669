import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { RunningHost } from '../src/internal/host/create-host.js';
import { answerOf, createProject, invoke, type Project, start } from './support/run.js';

const service = (version: number, more = '') => `
import { name } from 'one';
${more}
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
export const handler = async (event) => {
  if (event.ms) await wait(event.ms);
  return '${`${version}`} ' + name;
};`;

const dependency = (name: string) => `export const name = '${name}';`;

const manifest = (name: string) => `{ "name": "${name}", "type": "module", "exports": "./index.js" }`;

/** Ids of the processes; each has a temporary folder. */
const processesOf = ({ folder }: Project): readonly string[] => readdirSync(join(folder, '.sallyport', 'tmp'));

/** Resolves when the run reports a build, successful or failed. */
function built(host: RunningHost, expected: RegExp): Promise<void> {
  return new Promise((resolve) => {
    const end = host.journal.subscribe((change) => {
      if (change.type !== 'note' || change.note.topic !== 'build' || !expected.test(change.note.text)) return;
      end();
      resolve();
    });
  });
}

describe('a save', () => {
  let project: Project;
  let host: RunningHost;

  beforeAll(async () => {
    project = createProject({
      'node_modules/one/package.json': manifest('one'),
      'node_modules/one/index.js': dependency('one'),
      'node_modules/two/package.json': manifest('two'),
      'node_modules/two/index.js': dependency('two'),
      'node_modules/old/package.json': '{ "name": "old", "main": "index.js" }',
      'node_modules/old/index.js': 'exports.twice = (text) => text + text;',
      'src/lambda.mjs': service(1),
    });
    host = await start(project, {}, { watch: true });
  });
  afterAll(async () => {
    await host.stop();
    project.remove();
  });

  async function save(text: string, expected = /^built/): Promise<void> {
    const done = built(host, expected);
    project.write('src/lambda.mjs', text);
    await done;
  }

  test('runs the new code in the process that has loaded the dependencies', async () => {
    expect(await answerOf(host, {})).toBe('1 one');
    await save(service(2));
    const outcome = await invoke(host, {});
    expect(outcome).toMatchObject({ ok: true, answer: '2 one' });
    expect(host.journal.get(outcome.id)?.environment).toMatchObject({ start: 'warm start' });
  });

  test('runs the new code in a process that has loaded the modules of Node which the first event needed before', async () => {
    const program = (version: number) => `
const isEarly = process.moduleLoadList.includes('NativeModule dgram');
export const handler = async () => {
  await import('node:dgram');
  return [${version}, isEarly];
};`;
    await save(program(1));
    const before = processesOf(project);
    expect(await answerOf(host, {})).toEqual([1, false]);
    // The next standby starts after the answer.
    while (processesOf(project).every((id) => before.includes(id))) await wait(10);
    await save(program(2));
    expect(await answerOf(host, {})).toEqual([2, true]);
    // Node keeps compiled dependencies from 22.10.
    expect(existsSync(join(project.folder, '.sallyport', 'compiled'))).toBe('flushCompileCache' in module);
  });

  test('that renames a file is detected too', async () => {
    project.write('src/new.mjs', service(3));
    const done = built(host, /^built/);
    renameSync(join(project.folder, 'src/new.mjs'), join(project.folder, 'src/lambda.mjs'));
    await done;
    expect(await answerOf(host, {})).toBe('3 one');
  });

  test('with a new dependency runs it, also one in CommonJS', async () => {
    await save(
      service(4, "import { name as two } from 'two';\nimport { twice } from 'old';\nglobalThis.both = twice(two);"),
    );
    expect(await answerOf(host, {})).toBe('4 one');
  });

  test('while an event runs lets it end on the old code', async () => {
    const running = answerOf(host, { ms: 300 });
    await save(service(5));
    expect(await answerOf(host, {})).toBe('5 one');
    expect(await running).toBe('4 one');
  });

  test('that does not compile runs nothing on old code; sources hold their records', async () => {
    await save('export const handler = async () => {', /lambda\.mjs:1:\d+: /);
    expect(await answerOf(host, {})).toMatchObject({
      reason: 'build',
      errorType: 'local.build_failed',
      errorMessage: expect.stringMatching(/^src\/lambda\.mjs:1:37: /),
    });
    const door = await fetch(`http://127.0.0.1:${host.ports['gateway-v2']}/`);
    expect(door.status).toBe(502);
    expect(await door.json()).toMatchObject({ error: { code: 'local.build_failed' } });
    const held = answerOf(host, {}, { whenBusy: 'wait' });
    await save(service(6));
    expect(await held).toBe('6 one');
  });

  test('that removes the export, or throws at import, is reported with the next event', async () => {
    await save('export const other = 1;');
    expect(await answerOf(host, {})).toMatchObject({ reason: 'init', errorType: 'Runtime.HandlerNotFound' });
    await save("throw new TypeError('at import');\nexport const handler = () => {};");
    expect(await answerOf(host, {})).toMatchObject({
      reason: 'init',
      errorType: 'TypeError',
      errorMessage: 'at import',
    });
    await save('process.exit(3);\nexport const handler = () => {};');
    expect(await answerOf(host, {})).toMatchObject({ reason: 'init', errorType: 'Runtime.ExitError' });
  });

  test('a removed file is a broken build, until it exists again', async () => {
    const done = built(host, /lambda\.mjs/);
    rmSync(join(project.folder, 'src/lambda.mjs'));
    await done;
    await save(service(7));
    expect(await answerOf(host, {})).toBe('7 one');
  });
});

test('a CommonJS module that a dependency imports later has its names', async () => {
  const project = createProject({
    'node_modules/lazy/package.json': manifest('lazy'),
    'node_modules/lazy/index.js': `export const load = async () => (await import('old')).twice('a');`,
    'node_modules/old/package.json': '{ "name": "old", "main": "index.js" }',
    'node_modules/old/index.js': 'exports.twice = (text) => text + text;',
    'src/lambda.mjs': `import { load } from 'lazy'; export const handler = () => load();`,
  });
  const host = await start(project);
  expect(await answerOf(host, {})).toBe('aa');
  await host.stop();
  project.remove();
});
