import { durable, durableExecutions, race } from '@sallyport/durable';
import { type BuildDurable, explore, fakeDurableService } from '@sallyport/durable/testing';
import { buildQueueEvent, type TestEnv } from '@sallyport/testkit';
import { exportedHistory } from '../../cli/src/history/internal/exported.js';

const FUNCTION = 'arn:aws:lambda:eu-west-1:123456789012:function:orders:7';
const EVENT = buildQueueEvent('arn:aws:sqs:eu-west-1:123456789012:orders', [
  { messageId: 'm-1', body: '{"order":"A-1","owner":"ada@example.com"}' },
]);

/** A queue whose records have these steps, with a wait after the first. */
const orders =
  (...names: string[]): BuildDurable =>
  (env: TestEnv) => {
    const app = env.app({ surfaces: [durableExecutions()] });
    app.queue(
      'orders',
      durable(async (ctx, { body }) => {
        const { order } = JSON.parse(body) as { order: string };
        for (const [n, name] of names.entries()) {
          await ctx.step(name, () => ({ order, name, paid: true, secret: 'hunter2' }));
          if (n === 0) await ctx.wait('pause', { hours: 1 });
        }
      }),
    );
    return app;
  };

const SELECTION = { payloads: 'shapes', keep: [], remove: [] } as const;

/** The exported history of an execution, after `waits` waits. */
async function historyOf(build: BuildDurable, { waits = 9, event = EVENT as unknown, selection = SELECTION as object } = {}) {
  const { service } = fakeDurableService(build);
  const { arn } = service.start({ functionArn: FUNCTION, name: 'n-1', payload: JSON.stringify(event) });
  await service.settle();
  for (let n = 0; n < waits && service.describe(arn).status === 'RUNNING'; n += 1) {
    service.skip();
    await service.settle();
  }
  const { status } = service.describe(arn);
  const { Events } = await service.getExecutionHistory({ DurableExecutionArn: arn, MaxItems: 1_000 });
  service.close();
  const read = { functionName: 'orders', functionVersion: '7', execution: 'n-1', status, events: Events as never };
  return JSON.stringify(exportedHistory(read, { ...SELECTION, ...selection }));
}

const found = async (next: BuildDurable, histories: readonly unknown[], more = {}) =>
  explore(orders('charge'), EVENT, { seeds: 0, next, histories, ...more }).then((findings) =>
    findings.filter(({ kind }) => kind === 'history').map(({ message }) => message),
  );

describe('an exported history', () => {
  test.each([
    { title: 'the same build', next: orders('charge', 'pack', 'mail'), finding: undefined },
    { title: 'a step that is added at the end', next: orders('charge', 'pack', 'mail', 'thank'), finding: undefined },
    { title: 'a renamed step', next: orders('charge', 'wrap', 'mail'), finding: /version 7: .*"pack".*"wrap"/ },
    { title: 'a removed step', next: orders('charge', 'mail'), finding: /"pack".*"mail"/ },
    { title: 'a removed last step', next: orders('charge', 'pack'), finding: /"mail" is not reached/ },
    { title: 'an inserted step', next: orders('charge', 'check', 'pack', 'mail'), finding: /"pack".*"check"/ },
    { title: 'reordered steps', next: orders('charge', 'mail', 'pack'), finding: /"pack".*"mail"/ },
  ])('is compared with $title', async ({ next, finding }) => {
    const complete = await found(next, [await historyOf(orders('charge', 'pack', 'mail'))]);
    if (finding === undefined) expect(complete).toEqual([]);
    else expect(complete.join('\n')).toMatch(finding);
  });
});
