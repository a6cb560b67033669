import { createApp } from '@sallyport/dispatch/app';
import { createTestEnv } from '@sallyport/testkit';
import { iotRule } from '@sallyport/triggers';
import { buildIotRuleEvent } from '@sallyport/triggers/testing';
import { errorsIn, HOSTS } from './support.js';

const OPTIONS = { rule: 'rule', key: 'id' };

describe.each(HOSTS)('in %s', (_host, host) => {
  it('a message reaches the handler of its rule, with its id and all selected members', async () => {
    const seen: unknown[] = [];
    const app = host(() => iotRule(OPTIONS).rule('cellar', (ctx, message) => void seen.push(message, ctx.eventKey)));
    const event = { temperature: 12, id: 'm-1', rule: 'cellar' };
    expect(await app.handleLambda(event)).toBeNull();
    expect(seen).toEqual([{ rule: 'cellar', id: 'm-1', message: event }, 'cellar|m-1']);
  });
});

it.each<[string, unknown, string, string | undefined]>([
  ['a string', 'm-1', 'm-1', 'cellar|m-1'],
  ['a number', 7, '7', 'cellar|7'],
  ['zero', 0, '0', 'cellar|0'],
  ['a blank string', ' ', ' ', undefined],
  ['null', null, '', undefined],
  ['an object', {}, '', undefined],
  ['absent', undefined, '', undefined],
])('the natural key of a message whose id is %s', async (_what, id, read, key) => {
  const seen: unknown[] = [];
  const devices = iotRule(OPTIONS).rule('cellar', (ctx, message) => void seen.push(message.id, ctx.eventKey));
  await devices.handleLambda({ rule: 'cellar', id });
  expect(seen).toEqual([read, key]);
});

it('names of members are options, and an event with another name is unknown', async () => {
  const env = createTestEnv();
  const surface = iotRule({ rule: '$rule', key: 'device-id' }).rule('cellar', () => undefined);
  const app = createApp({ ...env.options(), surfaces: [surface] });
  expect(app.explain({ $rule: 'cellar', 'device-id': 1 })).toMatchObject({ kind: 'iot-rule', error: null });
  expect(app.triggers()).toEqual([{ kind: 'iot-rule', name: 'cellar' }]);
  await expect(app.handleLambda({ $rule: 'attic' })).rejects.toMatchObject({ code: 'dispatch.unknown_event' });
});

it('a function with this trigger alone rejects a name without handler, and logs the names', async () => {
  const devices = iotRule(OPTIONS).rule('cellar', () => undefined);
  await expect(devices.handleLambda(buildIotRuleEvent('attic'))).rejects.toMatchObject({
    code: 'triggers.no_handler',
    cause: expect.objectContaining({ message: 'the rule is "attic"; registered are "cellar"' }),
  });
});

it('an event that a device gave the members of another trigger is of that kind', () => {
  const app = createApp({ log: false, surfaces: [iotRule(OPTIONS).rule('cellar', () => undefined)] });
  const forged = { ...buildIotRuleEvent('cellar'), Records: [{ eventSource: 'aws:sqs' }] };
  expect(app.explain(forged).kind).toBe('queue');
});

it('a failure is thrown, so that Lambda retries the event', async () => {
  const env = createTestEnv();
  const failing = iotRule(OPTIONS).rule('cellar', () => {
    throw new Error('too warm');
  });
  const app = createApp({ ...env.options(), surfaces: [failing] });
  await expect(app.handleLambda(buildIotRuleEvent('cellar'))).rejects.toThrow();
  expect(errorsIn(env)).toEqual(['too warm']);
});

const MEMBER = 'the name of a member of the event that no other trigger uses';

it.each<[string, unknown, string]>([
  ['no options', undefined, `framework: option "rule" must be ${MEMBER}`],
  ['no rule', { key: 'id' }, `framework: option "rule" must be ${MEMBER}`],
  ['no key', { rule: 'rule' }, `framework: option "key" must be ${MEMBER}`],
  ['an unknown option', { ...OPTIONS, topic: 'a' }, 'framework: unknown option "topic"'],
  ['a path', { ...OPTIONS, key: 'a.b' }, `framework: option "key" must be ${MEMBER}`],
  ['a member of the fixed table', { ...OPTIONS, rule: 'Records' }, `framework: option "rule" must be ${MEMBER}`],
])('rejects %s', (_what, options, message) => {
  expect(() => iotRule(options as never)).toThrow(
    expect.objectContaining({ code: 'app.invalid_configuration', message: expect.stringContaining(message) }),
  );
});

it('rejects a container without a rule', () => {
  expect(() => createApp({ log: false, surfaces: [iotRule(OPTIONS)] })).toThrow('iotRule has no rule; rule() adds one');
});
