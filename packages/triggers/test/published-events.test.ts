import type { TriggerExtension } from '@sallyport/dispatch';
import { createApp } from '@sallyport/dispatch/app';
import { SURFACES } from './kinds.js';
import { documentedEvents, fixtureEvents, powertoolsExamples } from './published-events.js';

const makers = Object.values(SURFACES).map((make) => () => make(() => undefined) as TriggerExtension);
const ordered = createApp({ log: false, surfaces: makers.map((make) => make()) });
const reversed = createApp({ log: false, surfaces: makers.map((make) => make()).reverse() });
const EVENTS = [...powertoolsExamples(), ...documentedEvents()];

it('no published event satisfies two rows, and reversing the order of the opt-in rows changes nothing', () => {
  for (const [name, event] of EVENTS) {
    const { kind, rows } = ordered.explain(event);
    const held = rows.filter(({ outcome }) => outcome !== 'missed').map((row) => row.kind);
    expect([name, held]).toEqual([name, kind === null ? [] : [kind]]);
    expect([name, reversed.explain(event).kind]).toEqual([name, kind]);
  }
});

it('how many there are, and of which kinds', () => {
  const kinds: Record<string, number> = {};
  for (const [, event] of EVENTS) {
    const kind = ordered.explain(event).kind ?? 'of no trigger';
    kinds[kind] = (kinds[kind] ?? 0) + 1;
  }
  expect([EVENTS.length, kinds]).toEqual([
    61,
    {
      appsync: 2,
      'appsync-events': 2,
      'authorizer-token': 1,
      cognito: 12,
      'custom-resource': 3,
      'event-bus': 7,
      firehose: 2,
      'gateway-v1': 2,
      'gateway-v2': 1,
      kafka: 2,
      lattice: 1,
      logs: 1,
      'of no trigger': 5,
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
