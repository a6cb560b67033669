import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { FrameworkError, TRIGGER_KINDS } from '@sallyport/core';
import { detect, type Explanation, explain } from '@sallyport/dispatch';
import fc from 'fast-check';
import { anyEvent } from './support/arbitraries.js';
import { EVENTS } from './support/events.js';
import { HOSTILE } from './support/hostile.js';

function thrownBy(run: () => unknown): FrameworkError {
  try {
    run();
  } catch (error) {
    if (error instanceof FrameworkError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('detect', () => {
  it.each(Object.keys(EVENTS))('recognizes a real %s event', (kind) => {
    expect(detect(EVENTS[kind])).toBe(kind);
  });

  it.each([
    ['Sns beside a queue tag', { Records: [{ eventSource: 'aws:sqs', Sns: {} }] }, 'queue'],
    ['the topic tag alone', { Records: [{ EventSource: 'aws:sns' }] }, 'topic'],
    ['httpMethod alone', { httpMethod: 'GET' }, 'gateway-v1'],
    ['connectionId beside http', { requestContext: { connectionId: 'c', http: {} }, routeKey: 'x' }, 'websocket'],
  ])('detects %s', (_name, event, kind) => {
    expect(detect(event)).toBe(kind);
  });

  it.each([
    ['null', null],
    ['a string', '{"httpMethod":"GET"}'],
    ['an empty list', []],
    ['a list of records', [{ eventSource: 'aws:sqs' }]],
    ['a list with a hole', Object.assign(new Array(3), { 0: EVENTS.appsync, 2: EVENTS.appsync })],
    ['undefined', undefined],
  ])('rejects %s as no object', (_name, event) => {
    const error = thrownBy(() => detect(event));

    expect(error.message).toBe('framework: event must be an object');
    expect(error.code).toBe('dispatch.not_an_object');
  });

  it('describes the nearest kind in the details of a list, and nothing for other values', () => {
    const { details } = thrownBy(() => detect([{ eventSource: 'aws:sqs' }]));
    expect(details).toMatchObject({ nearest: { kind: 'queue', misses: [{ expected: 'object', found: 'array' }] } });
    expect(thrownBy(() => detect('text')).details).toBeUndefined();
  });

  it('lists the missing conditions of every row in the details of an unknown event', () => {
    const error = thrownBy(() => detect({ httpMethod: '' }));
    const details = error.details as Explanation;

    expect(error.message).toBe('framework: unknown event type');
    expect(error.code).toBe('dispatch.unknown_event');
    expect(details.rows).toHaveLength(11);
    expect(details.rows[10]).toEqual({
      kind: 'gateway-v1',
      origin: 'table',
      outcome: 'missed',
      misses: [{ path: 'httpMethod', expected: 'text', found: 'blank string' }],
    });
    expect(details).toEqual(explain({ httpMethod: '' }));
  });

  it.each(Object.keys(EVENTS))('ignores inherited keys of a real %s event', (kind) => {
    expect(thrownBy(() => detect(Object.create(EVENTS[kind] as object))).code).toMatch(/^dispatch\./);
  });

  it.each([
    ['a record', { Records: [Object.create({ eventSource: 'aws:sqs', Sns: {} })] }],
    ['a topic tag', { Records: [Object.create({ EventSource: 'aws:sns' })] }],
    ['a field name', { info: Object.create({ fieldName: 'note', parentTypeName: 'Query' }), arguments: {} }],
    [
      'the arguments',
      Object.assign(Object.create({ arguments: {} }), { info: { fieldName: 'n', parentTypeName: 'Q' } }),
    ],
    ['a connection id', { requestContext: Object.create({ connectionId: 'c' }) }],
    ['http', { requestContext: Object.create({ http: {} }), routeKey: 'x' }],
    ['a target group', { requestContext: { elb: Object.create({ targetGroupArn: 'arn' }) } }],
  ])('rejects %s that is inherited', (_name, event) => {
    expect(thrownBy(() => detect(event)).code).toBe('dispatch.unknown_event');
  });

  it('looks for its own routeKey and its own domain name only', () => {
    const event = Object.assign(Object.create({ routeKey: '$default' }), { requestContext: { http: {} } });
    const context = Object.assign(Object.create({ domainName: 'abc.lambda-url.eu-west-1.on.aws' }), { http: {} });

    expect(detect(event)).toBe('function-url');
    expect(detect({ requestContext: context, routeKey: '$default' })).toBe('gateway-v2');
  });

  it('detects the same kind with a polluted Object.prototype', () => {
    const polluted = Object.prototype as Record<string, unknown>;
    Object.assign(polluted, { httpMethod: 'GET', Records: [{ eventSource: 'aws:sqs' }], routeKey: 'x' });
    try {
      expect(thrownBy(() => detect({})).code).toBe('dispatch.unknown_event');
      expect(detect({ requestContext: { http: {} } })).toBe('function-url');
    } finally {
      for (const key of ['httpMethod', 'Records', 'routeKey']) delete polluted[key];
    }
  });

  it.each(HOSTILE)('ends in a framework error for %s', (_name, event) => {
    expect(thrownBy(() => detect(event)).code).toMatch(/^dispatch\.(?:unknown_event|not_an_object)$/);
  });

  it('answers a known kind or throws a framework error for any event', () => {
    fc.assert(
      fc.property(fc.oneof(anyEvent, fc.anything({ withMap: true, withSparseArray: true })), (event) => {
        try {
          return (TRIGGER_KINDS as readonly string[]).includes(detect(event));
        } catch (error) {
          return error instanceof FrameworkError && error.code.startsWith('dispatch.');
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('does not change the event', () => {
    fc.assert(
      fc.property(anyEvent, (event) => {
        const before = JSON.stringify(event);
        try {
          detect(event);
        } catch {
          // Only the event matters here.
        }
        return JSON.stringify(event) === before;
      }),
    );
  });

  it('allocates nothing on a match', () => {
    const script = fileURLToPath(new URL('./support/allocation.ts', import.meta.url));
    const flags = ['--expose-gc', '--max-semi-space-size=64', '--min-semi-space-size=64'];
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [...flags, '--conditions=@sallyport/source', '--import', 'tsx', script],
      { encoding: 'utf8' },
    );

    expect(stderr).toBe('');
    const bytes = JSON.parse(stdout) as Record<string, number>;
    expect(Object.keys(bytes)).toEqual(Object.keys(EVENTS));
    // A million calls: an allocation in each would be at least sixteen million bytes.
    for (const kind of Object.keys(EVENTS)) expect(bytes[kind]).toBeLessThan(1_000_000);
  });
});

it.each([
  [253, 'function-url'],
  [254, 'gateway-v2'],
  [6_000_000, 'gateway-v2'],
])('a host name of %d characters is one of %s', (characters, kind) => {
  const rest = '.lambda-url.eu-west-1.on.aws';
  const domainName = 'a'.repeat(characters - rest.length) + rest;
  const event = { requestContext: { http: { method: 'GET' }, domainName }, routeKey: '$default' };
  expect(detect(event)).toBe(kind);
});
