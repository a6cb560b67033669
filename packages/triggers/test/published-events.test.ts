import type { TriggerExtension } from '@sallyport/dispatch';
import { createApp } from '@sallyport/dispatch/app';
import { SURFACES } from './kinds.js';
import { documentedEvents, fixtureEvents, powertoolsExamples } from './published-events.js';

const makers = Object.values(SURFACES).map((make) => () => make(() => undefined) as TriggerExtension);
const ordered = createApp({ log: false, surfaces: makers.map((make) => make()) });
const reversed = createApp({ log: false, surfaces: makers.map((make) => make()).reverse() });
const EVENTS = [...powertoolsExamples(), ...documentedEvents()];

/** The fixed table names the load balancer before the gateway, whose row its events satisfy too. */
const IN_ORDER: Readonly<Record<string, readonly string[]>> = { 'load-balancer': ['load-balancer', 'gateway-v1'] };

it('no published event satisfies two rows, and reversing the order of the opt-in rows changes nothing', () => {
  for (const [name, event] of EVENTS) {
    const { kind, rows } = ordered.explain(event);
    const held = rows.filter(({ outcome }) => outcome !== 'missed').map((row) => row.kind);
    expect([name, held]).toEqual([name, kind === null ? [] : (IN_ORDER[kind] ?? [kind])]);
    expect([name, reversed.explain(event).kind]).toEqual([name, kind]);
  }
});

it('how many there are, and of which kinds', () => {
  const kinds: Record<string, number> = {};
  const none: string[] = [];
  for (const [name, event] of EVENTS) {
    const { kind } = ordered.explain(event);
    if (kind === null) none.push(name);
    else kinds[kind] = (kinds[kind] ?? 0) + 1;
  }
  // Two parts of a gateway's event, the document inside a log event, a user pool's event without `callerContext`, and events of three services
  // without an adapter: outbound campaigns of Connect, Object Lambda, the identity provider of Transfer Family.
  expect([EVENTS.length, none, kinds]).toEqual([
    68,
    ['api-gatewayv2', 'api-gatewayv2', 'cloudwatch', 'cognito', 'connect-outbound-campaigns', 's3', 'transfer-family'],
    {
      appsync: 2,
      'appsync-events': 2,
      'authorizer-token': 1,
      cognito: 12,
      'custom-resource': 3,
      'event-bus': 7,
      firehose: 2,
      'function-url': 1,
      'gateway-v1': 2,
      'gateway-v2': 2,
      kafka: 2,
      lattice: 2,
      'load-balancer': 2,
      logs: 1,
      queue: 7,
      s3: 1,
      ses: 1,
      stream: 4,
      'table-stream': 3,
      topic: 3,
      websocket: 1,
    },
  ]);
});

it('no event of a contract fixture that the fixed table takes satisfies an opt-in row, but the one that is about it', () => {
  const taken = fixtureEvents().flatMap(([name, event]) => {
    const held = ordered.explain(event).rows.filter(({ outcome }) => outcome !== 'missed');
    return held.length > 1 && held.some(({ origin }) => origin === 'extension') ? [name] : [];
  });
  expect(taken).toEqual(['triggers/table-first']);
  expect(fixtureEvents().length).toBeGreaterThan(1_000);
});
