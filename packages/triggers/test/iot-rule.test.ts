import { createApp } from '@sallyport/dispatch/app';
import { payload } from '@sallyport/streams';
import { createTestEnv } from '@sallyport/testkit';
import { iotRule } from '@sallyport/triggers';
import { buildIotRuleEvent } from '@sallyport/triggers/testing';
import { z } from 'zod';
import { errorsIn, HOSTS, viaAlias } from './support.js';

const OPTIONS = { key: 'id' };
const CELLAR = viaAlias('cellar');

describe.each(HOSTS)('in %s', (_host, host) => {
  it('a message reaches the handler of the alias, with its id and all selected members', async () => {
    const seen: unknown[] = [];
    const app = host(() => iotRule(OPTIONS).rule('cellar', (ctx, message) => void seen.push(message, ctx.eventKey)));
    const event = { temperature: 12, id: 'm-1' };
    expect(await app.handleLambda(event, CELLAR)).toBeNull();
    expect(seen).toEqual([{ rule: 'cellar', id: 'm-1', payload: event }, 'cellar|m-1']);
  });

  it.each([
    ['another alias', viaAlias('attic')],
    ['no alias', {}],
  ])('a message by %s runs nothing', async (_what, context) => {
    const ran: unknown[] = [];
    const app = host(() => iotRule(OPTIONS).rule('cellar', (_ctx, message) => void ran.push(message)));
    await expect(app.handleLambda({ id: 'm-1', rule: 'cellar' }, context)).rejects.toMatchObject({
      code: expect.stringMatching(/^(?:triggers\.foreign_alias|dispatch\.unknown_event)$/),
    });
    expect(ran).toEqual([]);
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
  await devices.handleLambda({ id }, CELLAR);
  expect(seen).toEqual([read, key]);
});

it('an event that a device gave the members of another trigger is a message of the rule', async () => {
  const seen: string[] = [];
  const devices = iotRule(OPTIONS).rule('cellar', () => void seen.push('rule'));
  const app = createApp({ log: false, surfaces: [devices] }).queue('orders', () => void seen.push('queue'));
  const forged = { ...buildIotRuleEvent(), Records: [{ eventSource: 'aws:sqs' }] };
  expect(app.explain(forged, CELLAR).kind).toBe('iot-rule');
  await app.handleLambda(forged, CELLAR);
  expect(seen).toEqual(['rule']);
  expect(app.triggers()).toContainEqual({ kind: 'iot-rule', name: 'cellar', options: { qualifier: 'cellar' } });
});

it('payload validates the members that the statement selects', async () => {
  const seen: number[] = [];
  const Reading = z.object({ temperature: z.number() });
  const devices = iotRule(OPTIONS).rule(
    'cellar',
    payload(Reading, (_ctx, { temperature }) => void seen.push(temperature)),
  );
  await devices.handleLambda({ temperature: 12 }, CELLAR);
  await expect(devices.handleLambda({ temperature: 'warm' }, CELLAR)).rejects.toMatchObject({
    code: 'streams.payload_invalid',
  });
  expect(seen).toEqual([12]);
});

it('a failure is thrown, so that Lambda retries the event', async () => {
  const env = createTestEnv();
  const failing = iotRule(OPTIONS).rule('cellar', () => {
    throw new Error('too warm');
  });
  const app = createApp({ ...env.options(), surfaces: [failing] });
  await expect(app.handleLambda(buildIotRuleEvent(), CELLAR)).rejects.toThrow();
  expect(errorsIn(env)).toEqual(['too warm']);
});

it.each<[string, unknown, string]>([
  ['no options', undefined, 'option "key"'],
  ['an unknown option', { ...OPTIONS, topic: 'a' }, 'unknown option "topic"'],
  ['a path', { key: 'a.b' }, 'option "key"'],
])('rejects %s', (_what, options, message) => {
  expect(() => iotRule(options as never)).toThrow(expect.failure('app.invalid_configuration', message));
});

const nothing = () => undefined;

it.each<[string, () => unknown, string]>([
  ['a container without a rule', () => createApp({ log: false, surfaces: [iotRule(OPTIONS)] }), 'has no handler'],
  ['a version', () => iotRule(OPTIONS).rule('7', nothing), 'must be an alias'],
  ['$LATEST', () => iotRule(OPTIONS).rule('$LATEST', nothing), 'must be an alias'],
  ['a blank name', () => iotRule(OPTIONS).rule('', nothing), 'must be an alias'],
  [
    'an alias twice',
    () => iotRule(OPTIONS).rule('a', nothing).rule('a', nothing),
    'duplicate handler for the alias "a"',
  ],
  ['no handler', () => iotRule(OPTIONS).rule('a', 5 as never), 'must be a function'],
  [
    'a rule after the container',
    () => {
      const devices = iotRule(OPTIONS).rule('a', nothing);
      createApp({ log: false, surfaces: [devices] });
      devices.rule('b', nothing);
    },
    'register the alias "b" before the container is created',
  ],
])('rejects %s', (_what, make, message) => {
  expect(make).toThrow(expect.failure('app.invalid_configuration', message));
});
