import { json } from '@sallyport/http';
import { buildAPIGatewayV2Request } from '@sallyport/testkit';
import { durable } from '../src/index.js';
import { isEnvelope } from '../src/internal/envelope.js';
import { stackOf } from '../src/internal/failures.js';
import { recordingLedger } from '../src/internal/ledger.js';
import { runExecution } from './run.js';

const ENVELOPE = {
  DurableExecutionArn: 'arn:a',
  CheckpointToken: 't',
  InitialExecutionState: { Operations: [{ Id: '0' }] },
};

test.each<[string, unknown, boolean]>([
  ['an envelope', ENVELOPE, true],
  ['an event without an ARN', { ...ENVELOPE, DurableExecutionArn: undefined }, false],
  ['an event without a token', { ...ENVELOPE, CheckpointToken: '' }, false],
  ['an event without operations', { ...ENVELOPE, InitialExecutionState: { Operations: [] } }, false],
  ['an event without a state', { ...ENVELOPE, InitialExecutionState: undefined }, false],
  ['a text', 'arn:a', false],
])('%s is distinguished from other events', (_title, event, expected) => {
  expect(isEnvelope(event)).toBe(expected);
});

test.each<[string, unknown, string | undefined]>([
  ['an error', Object.assign(new Error('a'), { stack: 'at a' }), 'at a'],
  ['a thrown text', 'a', undefined],
  ['nothing', undefined, undefined],
  ['an object whose stack is a number', { stack: 5 }, undefined],
])('the stack of %s', (_title, thrown, expected) => {
  expect(stackOf(thrown)).toBe(expected);
});

test('begin, result and release of a ledger are steps, and its other calls are not', async () => {
  const recorded: string[] = [];
  const called = (name: string) => async () => name;
  const ledger = recordingLedger(
    {
      record: async (name, run) => {
        recorded.push(name);
        return run();
      },
      onSuspend() {},
    },
    {
      clock: { now: () => new Date(0), monotonicMs: () => 0, after: () => () => {} },
      size: 3,
      beginIdempotency: called('begin'),
      completeIdempotency: called('complete'),
      abandonIdempotency: called('abandon'),
      readJob: called('read'),
    },
  );
  const answers = [
    await ledger.beginIdempotency(),
    await ledger.readJob(),
    await ledger.completeIdempotency(),
    await ledger.abandonIdempotency(),
    ledger.size,
  ];
  expect(answers).toEqual(['begin', 'read', 'complete', 'abandon', 3]);
  expect(recorded).toEqual(['framework begin', 'framework complete', 'framework abandon']);
});

test('the idempotency key of a step of a request is the same at each attempt, and different in each execution', async () => {
  const keysOf = async (name: string) => {
    const keys: string[] = [];
    await runExecution(
      (app) => {
        const handler = durable(async (ctx) => {
          const charge = (step: { idempotencyKey: string; attempt: number }) => {
            keys.push(step.idempotencyKey);
            if (step.attempt === 1) throw new Error('again');
          };
          await ctx.step('charge', charge, { retry: { attempts: 2, delaySeconds: 1 } });
          return json(200, null);
        });
        app.post('/orders', handler);
      },
      buildAPIGatewayV2Request('POST', '/orders', {}),
      { name },
    );
    return keys;
  };
  const [first, second] = [await keysOf('run-1'), await keysOf('run-2')];
  expect(first).toEqual([first[0], first[0]]);
  expect(second).toEqual([second[0], second[0]]);
  expect(second[0]).not.toBe(first[0]);
});
