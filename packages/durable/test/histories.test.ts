import { withDurableExecution } from '@aws/durable-execution-sdk-js';
import { type DurableOptions, type Duration, durable, durableExecutions } from '@sallyport/durable';
import { type BuildDurable, explore, fakeDurableService } from '@sallyport/durable/testing';
import { buildQueueEvent, type TestEnv } from '@sallyport/testkit';
import type { DurableEngine } from '@sallyport/testkit/durable';
import { ExecutionDriver } from '../src/testing/internal/execution-driver.js';
import { parseHistories } from '../src/testing/internal/exported-history.js';
import { replayHistory } from '../src/testing/internal/replay-history.js';

const FUNCTION = 'arn:aws:lambda:eu-west-1:123456789012:function:orders:7';
const EVENT = buildQueueEvent('arn:aws:sqs:eu-west-1:123456789012:orders', [
  { messageId: 'm-1', body: '{"order":"A-1","owner":"ada@example.com"}' },
]);

/** A queue whose records have these steps, with a wait after the first. */
const orders = (...names: string[]) => pausing({ minutes: 10 }, {}, names);

const pausing =
  (pause: Duration, options: DurableOptions, names: readonly string[]): BuildDurable =>
  (env: TestEnv) => {
    const app = env.app({ surfaces: [durableExecutions()] });
    app.queue(
      'orders',
      durable(async (ctx, { body }) => {
        const { order } = JSON.parse(body) as { order: string };
        for (const [n, name] of names.entries()) {
          await ctx.step(name, () => ({ order, name, paid: true, secret: 'hunter2' }));
          if (n === 0) await ctx.wait('pause', pause);
        }
      }, options),
    );
    return app;
  };

/** The exported history of an execution, after `waits` waits. */
async function historyOf(build: BuildDurable, { waits = 9, event = EVENT as unknown, end = false } = {}) {
  const { service } = fakeDurableService(build);
  const { arn } = service.start({ functionArn: FUNCTION, name: 'n-1', payload: JSON.stringify(event) });
  await service.settle();
  for (let n = 0; n < waits && service.describe(arn).status === 'RUNNING'; n += 1) {
    service.skip(({ kind }) => end || kind !== 'callback');
    await service.settle();
  }
  const history = await fileOf(service, arn);
  service.close();
  return history;
}

/** The file of an execution. */
async function fileOf(service: DurableEngine, arn: string) {
  const { status, name } = service.describe(arn);
  const { Events } = await service.getExecutionHistory({ DurableExecutionArn: arn, MaxItems: 1_000 });
  return JSON.stringify({
    format: 'sallyport.history',
    version: 1,
    functionName: 'orders',
    functionVersion: '7',
    execution: name,
    status,
    payloads: 'shapes',
    count: Events.length,
    events: Events,
  });
}

/** The findings of a new version in histories. */
async function found(next: BuildDurable, histories: readonly unknown[], functionName?: string) {
  const lists = await Promise.all(
    parseHistories(histories, functionName).map(async (history) => replayHistory(next, history, {})),
  );
  return lists.flat();
}

describe('an exported history', () => {
  test.each([
    { title: 'the same build', next: orders('charge', 'pack', 'mail'), finding: undefined },
    { title: 'a step that is added at the end', next: orders('charge', 'pack', 'mail', 'thank'), finding: undefined },
    { title: 'a renamed step', next: orders('charge', 'wrap', 'mail'), finding: /"pack".*"wrap"/ },
    { title: 'a removed step', next: orders('charge', 'mail'), finding: /"pack".*"mail"/ },
    { title: 'a removed last step', next: orders('charge', 'pack'), finding: /"mail" is not reached/ },
    { title: 'an inserted step', next: orders('charge', 'check', 'pack', 'mail'), finding: /"pack".*"check"/ },
    { title: 'reordered steps', next: orders('charge', 'mail', 'pack'), finding: /"pack".*"mail"/ },
  ])('is compared with $title', async ({ next, finding }) => {
    const complete = await found(next, [await historyOf(orders('charge', 'pack', 'mail'))]);
    if (finding === undefined) expect(complete).toEqual([]);
    else expect(complete.join('\n')).toMatch(finding);
  });

  test('of an execution that waits is finished by a build that differs later only', async () => {
    const waiting = await historyOf(orders('charge', 'pack', 'mail'), { waits: 0 });
    expect(await found(orders('charge', 'wrap'), [waiting])).toEqual([]);
    expect(await found(orders('pay', 'wrap'), [waiting])).toEqual([expect.stringMatching(/"charge".*"pay"/)]);
  });

  test('is replayed by explore, whose finding names the execution and its version', async () => {
    const histories = [
      await historyOf(orders('charge', 'pack')),
      JSON.parse(await historyOf(orders('charge', 'mail'))),
    ];
    expect(await explore(orders('charge', 'pack'), EVENT, { seeds: 0, histories })).toEqual([
      { kind: 'history', message: expect.stringMatching(/^execution "n-1" of version 7: .*"mail".*"pack"/) },
    ]);
  });

  const hour = { hours: 1 };
  const handedOff = { delivery: 'handoff' } as const;
  test.each([
    {
      title: 'of the batch is finished by the same build',
      at: 0,
      options: {},
      next: pausing(hour, {}, ['charge', 'pack']),
      finding: undefined,
    },
    {
      title: 'of the record is finished by the same build',
      at: 1,
      options: {},
      next: pausing(hour, {}, ['charge', 'pack']),
      finding: undefined,
    },
    {
      title: 'of the record shows a renamed step',
      at: 1,
      options: {},
      next: pausing(hour, {}, ['charge', 'wrap']),
      finding: /"pack".*"wrap"/,
    },
    {
      title: 'of the batch of a handler with the option "handoff" has no step of the record',
      at: 0,
      options: handedOff,
      next: pausing(hour, handedOff, ['charge']),
      finding: undefined,
    },
    {
      title: 'of the record of a handler with the option "handoff" shows a removed step',
      at: 1,
      options: handedOff,
      next: pausing(hour, handedOff, ['charge']),
      finding: /"pack" is not reached/,
    },
    {
      title: 'of the record is finished by a build that serves its batches inline',
      at: 1,
      options: {},
      next: pausing({ minutes: 10 }, { delivery: 'inline' }, ['charge', 'pack']),
      finding: undefined,
    },
  ])('$title, if records start separate executions', async ({ at, options, next, finding }) => {
    const driver = new ExecutionDriver(pausing(hour, options, ['charge', 'pack']), { handoff: true });
    driver.start(JSON.stringify(EVENT));
    await driver.engine.settle();
    driver.engine.skip();
    await driver.engine.settle();
    const arns = driver.engine.list().map(({ arn }) => arn);
    const history = await fileOf(driver.engine, arns[at] ?? '');
    driver.engine.close();
    const differences = await found(next, [history]);
    if (finding === undefined) expect(differences).toEqual([]);
    else expect(differences.join('\n')).toMatch(finding);
  });

  test('of a raw handler with branches, a retry and a callback is finished by the same build', async () => {
    let calls = 0;
    const raw: BuildDurable = () =>
      withDurableExecution(async (_: unknown, ctx) => {
        const both = await ctx.parallel('both', [
          (branch) => branch.step('left', async () => 1),
          async (branch) => {
            await branch.wait('later', { seconds: 20 });
            return branch.step('right', async () => 2);
          },
        ]);
        await ctx.step(
          'unsteady',
          async () => {
            calls += 1;
            if (calls === 1) throw new Error('not yet');
          },
          { retryStrategy: () => ({ shouldRetry: calls === 1, delay: { seconds: 1 } }) },
        );
        const answer = await ctx
          .waitForCallback<string>('approval', async () => {}, { timeout: { seconds: 5 } })
          .catch(() => 'late');
        return [both.getResults(), answer, await ctx.step('last', async () => 3)];
      });
    const history = await historyOf(raw, { event: {}, end: true });
    expect(history).toContain('"CallbackTimedOut"');
    expect(await found(raw, [history])).toEqual([]);
  });
});

describe('an exported file', () => {
  const whole = async () =>
    JSON.parse(await historyOf(orders('charge', 'pack'))) as Record<string, unknown> & { events: object[] };
  const changed = async (change: object | ((history: Awaited<ReturnType<typeof whole>>) => object)) => {
    const history = await whole();
    return { ...history, ...(typeof change === 'function' ? change(history) : change) };
  };

  test.each([
    {
      title: 'that is no export',
      history: () => ({}),
      message: /histories\[0\] must be a file of sallyport history export/,
    },
    {
      title: 'with text that ends early',
      history: async () => (await historyOf(orders('a'))).slice(0, -9),
      message: /complete JSON text/,
    },
    { title: 'of another format', history: () => changed({ version: 2 }), message: /has format version 2, expected 1/ },
    {
      title: 'without its last events',
      history: () => changed(({ events }) => ({ events: events.slice(0, 5) })),
      message: /has 5 of 12 events, none follows number 5/,
    },
    {
      title: 'without an event',
      history: () => changed(({ events }) => ({ events: events.filter((_, n) => n !== 3) })),
      message: /has 11 of 12 events, none follows number 3/,
    },
    {
      title: 'with a step whose start was removed',
      history: () =>
        changed(({ events }) => ({
          events: events.map((event) => ({
            ...event,
            ...('StepStartedDetails' in event && { EventType: 'InvocationCompleted' }),
          })),
        })),
      message: /"StepSucceeded" ends an operation that has not started/,
    },
    {
      title: 'whose result the service cut',
      history: () =>
        changed(({ events }) => ({
          events: events.map((event) => ({
            ...event,
            ...('StepSucceededDetails' in event && { StepSucceededDetails: { Result: { Truncated: true } } }),
          })),
        })),
      message: /the service cut the result of "charge"/,
    },
    {
      title: 'without a time',
      history: () =>
        changed(({ events }) => ({ events: events.map((event) => ({ ...event, EventTimestamp: 'soon' })) })),
      message: /needs the time/,
    },
  ])('$title is rejected', async ({ history, message }) => {
    const given = await history();
    expect(() => parseHistories([given], undefined)).toThrow(message);
  });

  test('of another function is rejected', async () => {
    const own = await whole();
    const other = { ...own, functionName: 'mails' };
    expect(() => parseHistories([own, other], undefined)).toThrow(
      /histories\[1\] .* is of function "mails", expected "orders"/,
    );
    await expect(explore(orders('a'), EVENT, { histories: [own], functionName: 'mails' })).rejects.toMatchObject({
      code: 'app.invalid_configuration',
    });
  });

  test('whose names were changed is a finding', async () => {
    const text = (await historyOf(orders('charge', 'pack'))).replaceAll('"Name":"pack"', '"Name":"wrap"');
    expect(await found(orders('charge', 'pack'), [text])).toEqual([expect.stringMatching(/"wrap".*"pack"/)]);
  });

  test('whose placeholders fail a check names the flag that keeps values', async () => {
    const build: BuildDurable = (env) => {
      const app = env.app({ surfaces: [durableExecutions()] });
      app.queue(
        'orders',
        durable(async (ctx) => {
          const size = await ctx.step('size', () => 'large');
          if (size !== 'large') throw new Error('unknown size');
          await ctx.step('ship', () => 1);
        }),
      );
      return app;
    };
    const history = await historyOf(build);
    const placeholders = history.replace(String.raw`"Payload":"\"large\""`, String.raw`"Payload":"\"text-1\""`);
    expect(placeholders).not.toBe(history);
    expect(await found(build, [placeholders])).toEqual([expect.stringMatching(/"ship" is not reached.*--keep/)]);
    expect(await found(build, [history])).toEqual([]);
  });
});
