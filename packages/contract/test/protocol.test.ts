import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { PROTOCOL, ProtocolError, runContract, serveRuntime, spawnRuntime } from '../src/index.js';
import { fakeRuntime, fixture, HELLO, makeContract } from './support.js';

const SCRIPT = fileURLToPath(new URL('./fake-runtime.mjs', import.meta.url));
const command = (...args: string[]) => [process.execPath, SCRIPT, ...args].map((part) => `"${part}"`).join(' ');

const CONTRACT = makeContract({
  'detection/a.json': fixture('detection/a'),
  'detection/b.json': fixture('detection/b'),
  'doors/c.json': fixture('doors/c'),
  'skips/fake.json': { 'detection/b': 'later' },
});

async function run(behaviour: string, { timeoutMs = 50_000, byeMs = 2000, marker = '' } = {}) {
  const runtime = spawnRuntime(command(behaviour, ...(marker === '' ? [] : [marker])), byeMs);
  const verdicts = await runContract(runtime, CONTRACT, CONTRACT.fixtures, { timeoutMs });
  return verdicts.map(({ id, outcome, reason }) => [id, outcome, ...(reason === undefined ? [] : [reason])]);
}

const SKIPPED = ['doors/c', 'skipped', 'area doors is not announced'];

describe('a foreign runtime', () => {
  it.each(['well', 'minor'])('that keeps the protocol is judged (%s)', async (behaviour) => {
    expect(await run(behaviour)).toEqual([['detection/a', 'passed'], ['detection/b', 'passed'], SKIPPED]);
  });

  it.each([
    ['stray', 'a line is not a JSON object'],
    ['wrong-seq', 'answer has seq 2 instead of 1'],
    ['die', 'the runtime ended with status 7'],
    ['list', 'a line is not a JSON object'],
    ['null', 'a line is not a JSON object'],
    ['number', 'a line is not a JSON object'],
    ['long', 'a line is longer than 8 MiB'],
    ['binary', 'a line is not a JSON object'],
    ['shapeless', 'answer must be "done" or "unsupported"'],
  ])('that breaks the protocol once (%s) fails that fixture and is started again', async (behaviour, reason) => {
    const folder = mkdtempSync(join(tmpdir(), 'fake-runtime-'));
    try {
      const verdicts = await run(behaviour, { marker: join(folder, 'started') });
      expect(verdicts).toEqual([['detection/a', 'failed', reason], ['detection/b', 'passed'], SKIPPED]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('that hangs once is killed, started again, and fails that fixture', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fake-runtime-'));
    try {
      const verdicts = await run('hang', { marker: join(folder, 'started'), timeoutMs: 4000 });
      expect(verdicts).toEqual([
        ['detection/a', 'failed', 'no answer within 4000 ms'],
        ['detection/b', 'passed'],
        SKIPPED,
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.each([
    ['other-major', 'protocol "framework.contract/2" is not framework.contract/1'],
    ['stray', 'a line is not a JSON object'],
    ['stays', 'the runtime did not end within 300 ms of bye'],
    ['bad-end', 'the runtime ended with status 9'],
  ])('that violates it again (%s) stops the run', async (behaviour, message) => {
    await expect(run(behaviour, { byeMs: 300 })).rejects.toThrow(new ProtocolError(message));
  });

  it('that prints a line after its last answer stops the run', async () => {
    const run = runContract(spawnRuntime(command('after')), CONTRACT, CONTRACT.fixtures.slice(0, 1));
    await expect(run).rejects.toThrow(new ProtocolError('the runtime printed an unexpected line'));
  });

  it('that does not exist stops the run', async () => {
    const runtime = spawnRuntime('"./no-such-runtime-at-all" 2>&-');
    await expect(runContract(runtime, CONTRACT, CONTRACT.fixtures)).rejects.toThrow(
      'the runtime ended with status 127',
    );
  });

  it('that does not support a fixture fails it, unless the skips name it', async () => {
    expect(await run('unsupported')).toEqual([
      ['detection/a', 'failed', 'unsupported: not built'],
      ['detection/b', 'skipped', 'later'],
      SKIPPED,
    ]);
  });

  it('never sees what is expected', async () => {
    const contract = makeContract({
      'detection/a.json': fixture('detection/a', {
        steps: [{ result: ['area', 'id', 'seq', 'setup', 'steps', 'type'] }],
      }),
    });
    const [verdict] = await runContract(spawnRuntime(command('keys')), contract, contract.fixtures);
    expect(verdict?.outcome).toBe('passed');
  });
});

describe('serving a runtime', () => {
  async function serve(...lines: string[]) {
    const input = new PassThrough();
    const output = new PassThrough();
    input.end(lines.map((line) => `${line}\n`).join(''));
    await serveRuntime(fakeRuntime({ result: 1 }), input, output);
    return output
      .read()
      ?.toString()
      .trimEnd()
      .split('\n')
      .map((line: string) => JSON.parse(line) as unknown);
  }

  const hello = JSON.stringify({ type: 'hello', protocol: PROTOCOL, fixtures: '' });
  const bye = JSON.stringify({ type: 'bye' });
  const runLine = JSON.stringify({ type: 'run', seq: 3, id: 'detection/a', area: 'detection', setup: {}, steps: [{}] });

  it('answers one line with one line until bye', async () => {
    expect(await serve(hello, runLine, bye)).toEqual([
      HELLO,
      {
        type: 'done',
        seq: 3,
        construction_error: null,
        steps: [{ result: 1, logs: [], metrics: [], spans: [], calls: [] }],
      },
    ]);
  });

  it.each([
    [['not json'], 'a line is not a JSON object'],
    [
      [JSON.stringify({ type: 'hello', protocol: 'framework.contract/2' })],
      'protocol "framework.contract/2" is not framework.contract/1',
    ],
    [[hello], 'the input ended without bye'],
    [[JSON.stringify({ type: 'stop' })], 'unknown message "stop"'],
  ])('rejects %j', async (lines, message) => {
    await expect(serve(...lines)).rejects.toThrow(new ProtocolError(message));
  });
});
