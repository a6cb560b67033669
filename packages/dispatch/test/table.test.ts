import { readFileSync } from 'node:fs';
import { type Surface, silentLogger, TRIGGER_KINDS } from '@sallyport/core';
import { DETECTION_TABLE, detect } from '@sallyport/dispatch';
import { createApp } from '@sallyport/dispatch/app';
import { bindEntrypoints } from '../src/dispatcher.js';
import { kindOf } from '../src/explain/explain.js';
import { explainRows } from '../src/explain/internal/explain-rows.js';
import { compileTable, detectRow } from '../src/internal/compile.js';
import { createPlan } from '../src/internal/plan.js';
import { ROWS } from '../src/rows.js';
import { EVENTS } from './support/events.js';

describe('DETECTION_TABLE', () => {
  it('holds the kinds of the contract in their order', () => {
    expect(DETECTION_TABLE.map((row) => row.kind)).toEqual([
      'queue',
      'table-stream',
      'stream',
      'topic',
      'event-bus',
      'appsync',
      'websocket',
      'gateway-v2',
      'function-url',
      'load-balancer',
      'gateway-v1',
    ]);
    expect(DETECTION_TABLE.map((row) => row.kind)).toEqual([...TRIGGER_KINDS]);
  });

  it('is plain data that another runtime can read', () => {
    expect(JSON.parse(JSON.stringify(DETECTION_TABLE[7]))).toEqual({
      kind: 'gateway-v2',
      anyOf: [
        [
          { path: 'requestContext.http', test: 'object' },
          { path: 'routeKey', test: 'present' },
          { path: 'requestContext.domainName', test: 'not_url_domain' },
        ],
      ],
    });
  });

  it('cannot be changed', () => {
    expect(() => Object.assign(DETECTION_TABLE[0] as object, { kind: 'x' })).toThrow(TypeError);
    expect(() => (DETECTION_TABLE as unknown[]).pop()).toThrow(TypeError);
    expect(() => Object.assign(DETECTION_TABLE[0]?.anyOf[0]?.[1] as object, { value: 'x' })).toThrow(TypeError);
  });

  it('compares values under equals only', () => {
    const conditions = DETECTION_TABLE.flatMap((row) => row.anyOf.flat());

    expect(conditions.filter((condition) => (condition.test === 'equals') !== (condition.value !== undefined))).toEqual(
      [],
    );
  });
});

describe('the rows define the results', () => {
  const changed = ROWS.map((row) =>
    row.kind === 'queue'
      ? {
          ...row,
          entrypoint: 'serveMail',
          anyOf: [[{ path: 'mail', test: 'text' as const }]],
        }
      : row,
  );
  const table = compileTable(changed);
  const mail = { mail: 'hello' };

  it('what is detected', () => {
    expect(kindOf(mail, table)).toBe('queue');
    expect(() => kindOf(EVENTS.queue, table)).toThrow(expect.failure('dispatch.unknown_event'));
    expect(detect(EVENTS.queue)).toBe('queue');
  });

  it('what is explained', () => {
    expect(explainRows(mail, detectRow(mail, table), table).rows[0]).toEqual({
      kind: 'queue',
      origin: 'table',
      outcome: 'matched',
      misses: [],
    });
    expect(explainRows(EVENTS.queue, detectRow(EVENTS.queue, table), table).rows[0]).toEqual({
      kind: 'queue',
      origin: 'table',
      outcome: 'missed',
      misses: [{ path: 'mail', expected: 'text', found: 'absent' }],
    });
  });

  it('which entrypoint serves the kind', async () => {
    const served: unknown[] = [];
    const surface: Surface = {
      serves: ['queue'],
      serve: async (kind, event) => void served.push([kind, event]),
    };
    const entrypoints = bindEntrypoints(createPlan([surface], { log: silentLogger }, changed));

    expect(explainRows(mail, 0, table).entrypoint).toBe('serveMail');
    expect(Object.keys(entrypoints)).toEqual([
      'serveMail',
      'serveTableStream',
      'serveStreamEvent',
      'serveTopicEvent',
      'serveEventBus',
      'serveAppSync',
      'serveWebSocket',
      'serveGatewayV2',
      'serveLambdaFunctionURL',
      'serveLoadBalancer',
      'serveGatewayProxy',
    ]);
    await entrypoints.serveMail?.({ any: 'event' });
    expect(served).toEqual([['queue', { any: 'event' }]]);
  });

  it('the README lists kinds, entrypoints and answers', () => {
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
    const listed = [...readme.matchAll(/^\| *\d+ *\| *`([^`]+)` *\|.*\| *`([^`]+)` *\| *([^|]+?) *\|$/gm)];

    expect(listed.map(([, ...cells]) => cells)).toEqual(
      ROWS.map(({ kind, entrypoint, projection }) => [kind, entrypoint, projection]),
    );
  });

  it.each(ROWS.map((row) => [row.kind, row] as const))('the explanation of an event of %s', (kind, row) => {
    const { entrypoint, target } = createApp().explain(EVENTS[kind]);

    expect([entrypoint, target?.projection]).toEqual([row.entrypoint, row.projection]);
  });
});
