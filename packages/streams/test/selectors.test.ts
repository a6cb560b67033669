import { createEventRouter, type EventBusSelector } from '@sallyport/streams';
import { environment, loadEvent } from './support.js';

/** The names of the selectors that an event would reach, given that each is registered alone. */
const reaches = async (event: object, selectors: Record<string, EventBusSelector>) => {
  const reached: string[] = [];
  for (const [name, selector] of Object.entries(selectors)) {
    const router = createEventRouter(environment().options);
    router.eventBus(selector, () => void reached.push(name));
    await router.serveEventBus(event).catch(() => {});
  }
  return reached;
};

const chosen = (event: object, ...selectors: EventBusSelector[]) => {
  const router = createEventRouter(environment().options);
  for (const selector of selectors) router.eventBus(selector, () => selector);
  return router.serveEventBus(event);
};

describe('event-bus selectors', () => {
  const event = loadEvent('event-bus-custom');

  it('match when every given field equals the event', async () => {
    const selectors = {
      source: { source: 'billing' },
      detailType: { detailType: 'InvoicePaid' },
      both: { source: 'billing', detailType: 'InvoicePaid' },
      rule: { ruleName: 'invoice-rule' },
      ruleArn: { ruleName: 'arn:aws:events:us-west-1:123456789012:rule/billing-bus/invoice-rule' },
      all: { source: 'billing', detailType: 'InvoicePaid', ruleName: 'invoice-rule' },
      otherSource: { source: 'Billing' },
      otherType: { source: 'billing', detailType: 'InvoiceSent' },
      bus: { ruleName: 'billing-bus' },
      ruleOfOtherSource: { source: 'other', ruleName: 'invoice-rule' },
      schedule: { scheduleName: 'invoice-rule' },
    };
    expect(await reaches(event, selectors)).toEqual(['source', 'detailType', 'both', 'rule', 'ruleArn', 'all']);
  });

  it.each<[string, EventBusSelector]>([
    ['event-bus-rule-schedule', { ruleName: 'nightly' }],
    ['event-bus-scheduler', { scheduleName: 'nightly' }],
    ['event-bus-scheduler', { scheduleName: 'arn:aws:scheduler:us-east-1:123456789012:schedule/reports/nightly' }],
    ['event-bus-partner-replay', { ruleName: 'on-ticket' }],
    ['event-bus-ec2', { source: 'aws.ec2', detailType: 'EC2 Instance State-change Notification' }],
  ])('%s is found by %j', async (name, selector) => {
    expect(await chosen(loadEvent(name), selector)).toEqual(selector);
  });

  it.each<[string, EventBusSelector]>([
    ['event-bus-rule-schedule', { scheduleName: 'nightly' }],
    ['event-bus-scheduler', { ruleName: 'nightly' }],
    ['event-bus-scheduler', { scheduleName: 'reports' }],
    ['event-bus-partner-replay', { ruleName: 'tickets' }],
    ['event-bus-ec2', { ruleName: 'i-abcd1111' }],
  ])('%s is not found by %j', async (name, selector) => {
    await expect(chosen(loadEvent(name), selector)).rejects.toMatchObject({ code: 'streams.no_handler' });
  });

  it('prefers more fields, then the earlier registration', async () => {
    const one = { source: 'billing' };
    const other = { detailType: 'InvoicePaid' };
    const two = { source: 'billing', ruleName: 'invoice-rule' };
    expect(await chosen(event, one, other)).toEqual(one);
    expect(await chosen(event, other, one)).toEqual(other);
    expect(await chosen(event, one, other, two)).toEqual(two);
    expect(await chosen(event, { source: 'x', detailType: 'InvoicePaid', ruleName: 'invoice-rule' }, one)).toEqual(one);
  });

  it.each([
    [{ 'detail-type': 'a', detailType: 'b' }, 'a'],
    [{ 'detail-type': '', detailType: 'b' }, ''],
    [{ 'detail-type': 5, detailType: 'b' }, 'b'],
    [{ detailType: 'b' }, 'b'],
  ])('reads the type of %j as %j', async (given, expected) => {
    const matching = await reaches(given, { a: { detailType: 'a' }, b: { detailType: 'b' } });
    expect(matching).toEqual(expected === '' ? [] : [expected]);
  });

  it.each([[{}], [{ resources: null }], [{ resources: 'arn' }], [{ resources: [5, null] }]])(
    'find no rule in %j',
    async (given) => {
      await expect(chosen(given, { ruleName: 'nightly' })).rejects.toMatchObject({ code: 'streams.no_handler' });
    },
  );
});

it('a handler of a rule receives the events of the deployed rule that FRAMEWORK_EVENT_SOURCES names', async () => {
  const FRAMEWORK_EVENT_SOURCES = '{"rule":{"nightly":"invoice-rule"}}';
  const router = createEventRouter({ ...environment().options, environment: { FRAMEWORK_EVENT_SOURCES } });
  router.eventBus({ ruleName: 'nightly' }, () => 'received');
  await expect(router.serveEventBus(loadEvent('event-bus-custom'))).resolves.toBe('received');
  expect(router.triggers()).toEqual([{ kind: 'event-bus', selector: { ruleName: 'nightly' } }]);
});

it('finds the handler of a schedule by the deployed name that FRAMEWORK_EVENT_SOURCES maps', async () => {
  const event = loadEvent('event-bus-scheduler');
  const [arn = ''] = event.resources as string[];
  const deployed = arn.split('/').at(-1) ?? '';
  const router = createEventRouter({
    environment: { FRAMEWORK_EVENT_SOURCES: JSON.stringify({ schedule: { report: deployed } }) },
  });
  router.eventBus({ scheduleName: 'report' }, () => 'received');
  expect(await router.serveEventBus(event)).toBe('received');
  expect(router.triggers()).toEqual([{ kind: 'event-bus', selector: { scheduleName: 'report' } }]);
});
