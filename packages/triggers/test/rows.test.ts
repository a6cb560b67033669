import { type Surface, TRIGGER_KINDS } from '@sallyport/core';
import { detect, type TriggerExtension } from '@sallyport/dispatch';
import { createApp } from '@sallyport/dispatch/app';
import { text } from '@sallyport/http';
import { Public, SecureApp } from '@sallyport/secure';
import { buildAPIGatewayProxyRequest, buildAPIGatewayV2Request, buildQueueEvent } from '@sallyport/testkit/events';
import * as build from '@sallyport/triggers/testing';
import { contextOf, EVENTS, SURFACES } from './kinds.js';
import { AGENT } from './support.js';

const NONE = () => undefined;

describe.each([false, true])('with the rows in reversed order: %s', (reversed) => {
  const names = Object.keys(SURFACES);
  const surfaces = (reversed ? names.reverse() : names).map((name) => SURFACES[name]?.(NONE) as TriggerExtension);
  const app = createApp({ log: false, surfaces });
  const samples = surfaces.flatMap(({ serves, rows, sample }) =>
    rows.length > 0 ? [[String(serves[0]), sample as object] as const] : [],
  );

  it.each([...EVENTS, ...samples])(
    'an event of %s is of this kind alone, and unknown to the fixed table',
    (kind, event) => {
      const { rows, kind: found } = app.explain(event, contextOf(kind));
      expect(found).toBe(kind);
      expect(rows.filter(({ outcome }) => outcome !== 'missed')).toHaveLength(1);
      expect(() => detect(event)).toThrow(/^framework: (?:unknown event type|event must be an object)/);
    },
  );
});

it('each surface serves one kind, which is not a fixed kind, and its kind is its name', () => {
  for (const [name, make] of Object.entries(SURFACES)) {
    expect(make(NONE).serves).toEqual([name]);
    expect(TRIGGER_KINDS).not.toContain(name);
  }
});

describe('arguments of an agent in the shape of each event', () => {
  const ENVELOPE = { DurableExecutionArn: 'arn', CheckpointToken: 't', InitialExecutionState: { Operations: [] } };

  it.each([...EVENTS, ['a durable envelope', ENVELOPE] as const])(
    '%s reach no handler of either container',
    async (_kind, event) => {
      let calls = 0;
      const ran = () => {
        calls += 1;
        return undefined;
      };
      // Channels and actions of SecureApp need postures; separate tests cover them.
      const make = (...skipped: readonly string[]) =>
        Object.entries(SURFACES)
          .filter(([name]) => !skipped.includes(name))
          .map(([, surface]) => surface(ran));
      const secure = new SecureApp({ log: false, surfaces: make('appsync-events', 'bedrock-agent', 'integration') });
      secure.get('/', () => text(200, String(ran())), Public());
      for (const app of [
        createApp({ log: false, surfaces: make() }).get('/', () => text(200, String(ran()))),
        secure,
      ]) {
        await expect(app.handleLambda(event, AGENT)).rejects.toMatchObject({ code: 'dispatch.no_adapter' });
      }
      expect(calls).toBe(0);
    },
  );

  it.each(EVENTS)('without the agent the handler of %s runs', async (kind, event) => {
    let calls = 0;
    const ran = () => {
      calls += 1;
      return undefined;
    };
    const surfaces = Object.values(SURFACES).map((surface) => surface(ran));
    const app = createApp({ log: false, surfaces }).get('/', () => text(200, String(ran())));
    await app.handleLambda(event, contextOf(kind));
    expect([kind, calls]).toEqual([kind, 1]);
  });
});

it.each<[string, object]>([
  ['kafka', { ...build.buildKafkaEvent('orders', [{}]), eventSource: 'aws:SelfManagedKafka' }],
  ['mq', { ...build.buildMqEvent('orders', [{}]), eventSource: 'aws:amq' }],
])('an event of %s in the other published spelling reaches its handler', async (kind, event) => {
  let calls = 0;
  const ran = () => {
    calls += 1;
    return undefined;
  };
  const app = createApp({ log: false, surfaces: Object.values(SURFACES).map((surface) => surface(ran)) });
  expect(app.explain(event).kind).toBe(kind);
  await app.handleLambda(event);
  expect(calls).toBe(1);
});

/** An event that counts the readings of its members. */
function counting(event: object): { readonly event: object; readonly readings: () => number } {
  let readings = 0;
  const watch = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    const target = Array.isArray(value) ? value.map(watch) : mapped(value);
    const count = () => {
      readings += 1;
    };
    return new Proxy(target, {
      get(owner, name, receiver) {
        count();
        return Reflect.get(owner, name, receiver);
      },
      has(owner, name) {
        count();
        return Reflect.has(owner, name);
      },
      getOwnPropertyDescriptor(owner, name) {
        count();
        return Reflect.getOwnPropertyDescriptor(owner, name);
      },
      ownKeys(owner) {
        count();
        return Reflect.ownKeys(owner);
      },
    });
  };
  const mapped = (value: object) =>
    Object.fromEntries(Object.entries(value).map(([name, member]) => [name, watch(member)]));
  return { event: watch(event) as object, readings: () => readings };
}

it.each<[string, object, number]>([
  ['GET of an HTTP API', buildAPIGatewayV2Request('GET', '/'), 0],
  // An operation of a Bedrock agent has the method of a request.
  ['GET of a REST API', buildAPIGatewayProxyRequest('GET', '/'), 1],
  ['batch of a queue', buildQueueEvent('orders', [{ body: 'a' }]), 0],
])('all triggers together read this many further members of a %s: %#', async (_what, event, further) => {
  const readingsWith = async (surfaces: readonly Surface[]) => {
    const app = createApp({ log: false, surfaces }).get('/', () => text(200, ''));
    app.queue('orders', () => undefined);
    const watched = counting(event);
    await app.handleLambda(watched.event, contextOf('s3'));
    return watched.readings();
  };
  const alone = await readingsWith([]);
  expect(alone).toBeGreaterThan(0);
  expect(await readingsWith(Object.values(SURFACES).map((surface) => surface(() => undefined)))).toBe(alone + further);
});
