import type { Surface } from '@sallyport/core';
import { TRIGGER_KINDS } from '@sallyport/core';
import { createDispatcherWith, type TriggerExtension } from '@sallyport/dispatch';
import { AWS_EVENTS } from './aws-events.js';
import { contextOf, EVENTS, SURFACES } from './kinds.js';
import { documentedEvents, powertoolsExamples } from './published-events.js';

/** The rows of every trigger, each served by its name. */
const served: Surface[] = Object.values(SURFACES).map((make) => {
  const own = make(() => undefined) as TriggerExtension;
  return new Proxy(own, {
    get: (_target, name) => {
      if (name === 'serve') return async (kind: string) => kind;
      const value: unknown = Reflect.get(own, name, own);
      return typeof value === 'function' ? value.bind(own) : value;
    },
  });
});
const fixed: Surface = { serves: TRIGGER_KINDS, serve: async (kind) => kind };
const { handleLambda } = createDispatcherWith({ log: false }, fixed, ...served);
const reversed = createDispatcherWith({ log: false }, fixed, ...served.toReversed());

/** Changes of a part that distinguishes kinds of the fixed table, or that makes an event of a fixed row one of another surface. */
const RELATED: Readonly<Record<string, readonly string[]>> = {
  // The key of a route, and the host name of a function URL.
  'gateway-v2': ['function-url'],
  'function-url': ['gateway-v2'],
  // The target group of a load balancer, and the connection of a WebSocket.
  'load-balancer': ['gateway-v1'],
  websocket: ['gateway-v1', 'gateway-v2', 'function-url'],
  // The window of a batch, and the group of an action. The HTTP door rejects an action without a group, because it has no path.
  window: ['stream', 'table-stream'],
  'bedrock-agent': ['gateway-v1'],
};

/** Small, fast, and the same in each run: https://en.wikipedia.org/wiki/Xorshift. */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

const VALUES: readonly (() => unknown)[] = [
  () => null,
  () => undefined,
  () => 0,
  () => -1.5,
  () => true,
  () => '',
  () => ' ',
  () => 'x',
  () => 'é',
  () => [],
  () => [{}],
  () => ({}),
  () => ({ a: 1 }),
];

type Draw = (below: number) => number;

/** Changes one place: a member or an entry is removed, replaced, renamed, doubled, wrapped or moved. */
function mutate(event: unknown, draw: Draw): void {
  let container = event as Record<string, unknown>;
  for (let depth = draw(6); depth > 0; depth -= 1) {
    const below = Object.values(container).filter((value) => typeof value === 'object' && value !== null);
    if (below.length === 0) break;
    container = below[draw(below.length)] as never;
  }
  const names = Object.keys(container);
  const name = names[draw(names.length)];
  if (name === undefined) return;
  const value = container[name];
  const change = draw(7);
  if (change === 0) delete container[name];
  else if (change === 1) container[name] = VALUES[draw(VALUES.length)]?.();
  else if (change === 2) container[`${name}x`] = value;
  else if (change === 3) container[name.toUpperCase()] = value;
  else if (change === 4) container[name] = [value];
  else if (change === 5) container[names[draw(names.length)] as string] = value;
  else container[name] = typeof value === 'string' ? `${value}${draw(10)}` : { [name]: value };
}

const SAMPLES: readonly unknown[] = [
  ...EVENTS.map(([, event]) => event),
  ...AWS_EVENTS.filter(([, kind]) => kind !== null).map(([, , , event]) => event),
  ...[...powertoolsExamples(), ...documentedEvents()].map(([, event]) => event),
];

it('a mutated event keeps its kind or is rejected, in any order of the surfaces: 100,000 mutations', async () => {
  const draw = generator(20_261_124);
  const kinds = await Promise.all(SAMPLES.map((event) => handleLambda(event).catch(() => null)));
  const known = SAMPLES.flatMap((event, index): [unknown, string][] =>
    typeof kinds[index] === 'string' ? [[event, kinds[index] as string]] : [],
  );
  const strays = new Map<string, number>();
  let own = 0;
  for (let count = 0; count < 100_000; count += 1) {
    const [event, kind] = known[count % known.length] as [unknown, string];
    const mutated = structuredClone(event);
    for (let changes = 1 + draw(3); changes > 0; changes -= 1) mutate(mutated, draw);
    const found = await handleLambda(mutated).catch(() => null);
    if (found === kind) own += 1;
    else if (found !== null && !RELATED[kind]?.includes(found as string)) {
      strays.set(`${kind} as ${found}`, (strays.get(`${kind} as ${found}`) ?? 0) + 1);
    }
    if (count % 20 === 0 && found !== null) {
      expect([kind, await reversed.handleLambda(mutated)]).toEqual([kind, found]);
    }
  }
  expect([...strays]).toEqual([]);
  // Most mutations change no part that a row tests.
  expect(own).toBeGreaterThan(40_000);
  expect(new Set(known.map(([, kind]) => kind)).size).toBeGreaterThan(40);
});

it('no mutation of an event is served by a kind that only an alias selects, without its alias', async () => {
  const draw = generator(7);
  const kinds = ['integration', 'iot-rule', 'pipe', 'task'];
  for (const [, event] of EVENTS) {
    for (let count = 0; count < 50; count += 1) {
      const mutated = structuredClone(event);
      mutate(mutated, draw);
      const found = await handleLambda(mutated, contextOf('queue')).catch(() => null);
      expect(kinds).not.toContain(found);
      for (const kind of kinds) expect(await handleLambda(mutated, contextOf(kind))).toBe(kind);
    }
  }
});
