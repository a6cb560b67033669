import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCli } from '../src/index.js';
import { fakeRuntime, fixture, makeFolder, requirement, validate } from './support.js';

const SCRIPT = fileURLToPath(new URL('./fake-runtime.mjs', import.meta.url));

const FILES = {
  'requirements.d/detection.json': {
    'detection.a': requirement('A first requirement.'),
    'detection.b': requirement('A second one.'),
  },
  'detection/a.json': fixture('detection/a', undefined, { covers: ['detection.a'] }),
  'detection/b.json': fixture('detection/b', undefined, { covers: ['detection.b'] }),
  'doors/c.json': fixture('doors/c'),
};

async function cli(args: string[], files: Record<string, unknown> = FILES, result = 'queue') {
  const { folder, remove } = makeFolder(files);
  const lines: string[] = [];
  try {
    const status = await runCli(
      args.map((arg) => arg.replace('<folder>', folder)),
      { folder, validate, createRuntime: async () => fakeRuntime({ result }), write: (line) => lines.push(line) },
    );
    const report = args.includes('--report')
      ? (JSON.parse(readFileSync(join(folder, 'report.out'), 'utf8')) as unknown)
      : undefined;
    return { status, lines, report };
  } finally {
    remove();
  }
}

describe('the command line', () => {
  it('ends with 0 and totals when all hold', async () => {
    expect(await cli([])).toMatchObject({ status: 0, lines: ['3 passed, 0 failed, 0 skipped'] });
  });

  it('ends with 1 and one line a failure', async () => {
    expect(await cli([], FILES, 'topic')).toMatchObject({
      status: 1,
      lines: [
        'FAIL detection/a step 0 .result: expected "queue", found "topic"',
        'FAIL detection/b step 0 .result: expected "queue", found "topic"',
        'FAIL doors/c step 0 .result: expected "queue", found "topic"',
        '0 passed, 3 failed, 0 skipped',
      ],
    });
  });

  it('prints its help', async () => {
    expect(await cli(['--help'])).toMatchObject({ status: 0, lines: [expect.stringContaining('--area <list>')] });
  });

  it('fails for a requirement that no fixture covers, but only when all fixtures run', async () => {
    const files = { ...FILES, 'detection/b.json': fixture('detection/b') };
    expect(await cli([], files)).toMatchObject({
      status: 1,
      lines: ['FAIL requirement detection.b is covered by no fixture', '3 passed, 1 failed, 0 skipped'],
    });
    expect(await cli(['--area', 'detection'], files)).toMatchObject({ status: 0 });
  });

  it('ends with 2 for a fixture that is invalid, unless it is not selected', async () => {
    const files = { ...FILES, 'doors/d.json': fixture('doors/e') };
    expect(await cli([], files)).toMatchObject({
      status: 2,
      lines: ['INVALID doors/d: id "doors/e" does not match its path'],
    });
    expect(await cli(['--id', 'doors/c'], files)).toMatchObject({
      status: 0,
      lines: ['1 passed, 0 failed, 0 skipped'],
    });
  });

  it.each([
    [['--nope'], "Unknown option '--nope'"],
    [['--timeout-ms', '0'], '--timeout-ms must be a whole number of at least 1'],
    [['--id', 'doors/x'], 'no fixture is selected'],
  ])('ends with 2 for %j', async (args, line) => {
    expect(await cli(args)).toMatchObject({ status: 2, lines: [expect.stringContaining(line)] });
  });

  it('ends with 3 for a runtime that breaks the protocol', async () => {
    const command = `"${process.execPath}" "${SCRIPT}" other-major`;
    expect(await cli(['--cmd', command])).toMatchObject({
      status: 3,
      lines: ['PROTOCOL protocol "framework.contract/2" is not framework.contract/1'],
    });
  });

  it('selects by area and lists without running', async () => {
    expect(await cli(['--list', '--area', 'doors,detection'], FILES, 'topic')).toMatchObject({
      status: 0,
      lines: ['detection/a: a fixture of a test', 'detection/b: a fixture of a test', 'doors/c: a fixture of a test'],
    });
  });

  it('writes a report, and stops at the first failure with the option', async () => {
    const { report } = await cli(['--bail', '--report', '<folder>/report.out'], FILES, 'topic');
    expect(report).toEqual({
      passed: 0,
      failed: 1,
      skipped: 0,
      uncovered: [],
      fixtures: [
        {
          id: 'detection/a',
          outcome: 'failed',
          failures: [{ step: 0, path: '.result', expected: '"queue"', found: '"topic"' }],
        },
      ],
    });
  });
});
