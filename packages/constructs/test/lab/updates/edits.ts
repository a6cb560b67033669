/** Edits of an application as its developers make them, and the stack of an example after each. */
import type { Stack } from 'aws-cdk-lib/core';
import { type Inventory, type InventoryRoute, type InventoryTrigger, ServiceWiring } from '../../../src/index.js';

/** One edit: the registrations, and what the stack calls. */
export interface Edit {
  readonly name: string;
  readonly inventory: Inventory;
  /** The name under which a source is attached, by the name in the example; `undefined` if its handler is removed. */
  readonly renamed: ReadonlyMap<string, string | undefined>;
  /** Positions of the calls of the wiring, such as `[1, 0]`; the example's order if absent. */
  readonly order?: (count: number) => readonly number[];
  /** Attaches new handlers. */
  readonly add?: (wiring: ServiceWiring, stack: Stack) => void;
}

/** The key of a trigger, and of the call that attaches it. */
const keyOf = ({ kind, name, selector }: Pick<InventoryTrigger, 'kind' | 'name' | 'selector'>) =>
  selector === undefined ? `${kind} ${name}` : `event-bus ${JSON.stringify(selector)}`;

/** The methods of a wiring that attach one handler, and its key. */
const METHODS: Readonly<Record<string, (first: never) => string>> = {
  queue: (name: string) => `queue ${name}`,
  tableStream: (name: string) => `table-stream ${name}`,
  kinesis: (name: string) => `stream ${name}`,
  topic: (name: string) => `topic ${name}`,
  s3: (name: string) => `s3 ${name}`,
  eventBus: (selector: object) => `event-bus ${JSON.stringify(selector)}`,
  schedule: (ruleName: string) => `event-bus ${JSON.stringify({ ruleName })}`,
};
const SURFACES = ['http', 'webSocket', 'graphQl'];

type Wires = Record<string, (this: ServiceWiring, ...given: unknown[]) => unknown>;

/** Builds an example with an edit: its calls of the wiring are collected, changed and made at the end. */
export function build(make: (inventory: Inventory) => Stack, edit: Edit): void {
  const wires = ServiceWiring.prototype as unknown as Wires;
  const names = [...Object.keys(METHODS), ...SURFACES];
  // Methods of a base class are found through the prototype: only own entries are added here, and removed after.
  const own = Object.fromEntries(names.filter((name) => Object.hasOwn(wires, name)).map((name) => [name, wires[name]]));
  const originals = Object.fromEntries(names.map((name) => [name, wires[name] as Wires[string]]));
  const calls: (() => void)[] = [];
  let wiring: ServiceWiring | undefined;
  for (const name of names) {
    wires[name] = function (this: ServiceWiring, ...given: unknown[]) {
      wiring = this;
      const original = originals[name] as Wires[string];
      const keyOfCall = METHODS[name];
      if (keyOfCall === undefined) {
        calls.push(() => original.apply(this, given));
        return this;
      }
      const [first, ...rest] = given;
      const key = keyOfCall(first as never);
      if (!edit.renamed.has(key)) calls.push(() => original.call(this, first, ...rest));
      else {
        const next = edit.renamed.get(key);
        if (next !== undefined)
          calls.push(() => original.call(this, typeof first === 'string' ? next : JSON.parse(next), ...rest));
      }
      return undefined;
    };
  }
  try {
    const stack = make(edit.inventory);
    const order = edit.order?.(calls.length) ?? calls.map((_call, index) => index);
    for (const index of order) calls[index]?.();
    for (const name of names) delete wires[name];
    Object.assign(wires, own);
    if (edit.add && wiring) edit.add(wiring, stack);
  } finally {
    for (const name of names) delete wires[name];
    Object.assign(wires, own);
  }
}

const routeName = ({ method, path, appSyncParentType, appSyncField, webSocketRouteKey }: InventoryRoute) =>
  method === undefined ? (webSocketRouteKey ?? `${appSyncParentType}.${appSyncField}`) : `${method} ${path}`;
const isPlain = (edit: Omit<Edit, 'renamed'>): Edit => ({ ...edit, renamed: new Map() });

/** Every rename, removal and order of the registrations of an inventory. `attached` are the keys of the triggers that the stack attaches. */
export function editsOf(inventory: Inventory, attached: (trigger: InventoryTrigger) => boolean): readonly Edit[] {
  const { routes, triggers } = inventory;
  const withRoutes = (next: readonly InventoryRoute[]): Inventory => ({ ...inventory, routes: next });
  const withTriggers = (next: readonly InventoryTrigger[]): Inventory => ({ ...inventory, triggers: next });
  const sources = triggers.filter(attached);
  const others = <T>(list: readonly T[], left: T) => list.filter((one) => one !== left);
  const swap = <T>(list: readonly T[], old: T, next: T) => list.map((one) => (one === old ? next : one));
  const renamedTrigger = (trigger: InventoryTrigger): InventoryTrigger => {
    const { name, selector } = trigger;
    if (selector === undefined) return { ...trigger, name: (name ?? '').replace(/(?=\.fifo$|$)/, '-renamed') };
    return {
      ...trigger,
      selector: Object.fromEntries(Object.entries(selector).map(([key, value]) => [key, `${value}-renamed`])),
    };
  };
  const nextName = (one: InventoryTrigger) => {
    const { name, selector } = one;
    if (selector === undefined) return name;
    return selector.ruleName !== undefined ? selector.ruleName : JSON.stringify(selector);
  };
  const http = routes.filter(
    ({ path = '' }) => path !== '' && !path.startsWith('/.well-known') && !path.startsWith('/mcp'),
  );
  return [
    isPlain({ name: 'nothing', inventory }),
    ...sources.map((one): Edit => {
      const next = renamedTrigger(one);
      return {
        name: `rename ${keyOf(one)}`,
        inventory: withTriggers(swap(triggers, one, next)),
        renamed: new Map([[keyOf(one), nextName(next)]]),
      };
    }),
    ...sources.map(
      (one): Edit => ({
        name: `remove ${keyOf(one)}`,
        inventory: withTriggers(others(triggers, one)),
        renamed: new Map([[keyOf(one), undefined]]),
      }),
    ),
    ...http.map((one) =>
      isPlain({
        name: `rename ${routeName(one)}`,
        inventory: withRoutes(swap(routes, one, { ...one, path: `/renamed${one.path}` })),
      }),
    ),
    ...[...new Set(http.flatMap(({ path = '' }) => path.match(/\{\w+/g) ?? []))].map((parameter) =>
      isPlain({
        name: `rename the parameter ${parameter}} of all routes`,
        inventory: withRoutes(
          routes.map((one) =>
            one.path === undefined ? one : { ...one, path: one.path.replaceAll(parameter, `${parameter}Renamed`) },
          ),
        ),
      }),
    ),
    ...routes.map((one) => isPlain({ name: `remove ${routeName(one)}`, inventory: withRoutes(others(routes, one)) })),
    ...ORDERS.map(([name, order]) =>
      isPlain({
        name: `${name} order`,
        inventory: { ...inventory, routes: pick(routes, order), triggers: pick(triggers, order) },
        order,
      }),
    ),
  ];
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);
const pick = <T>(list: readonly T[], order: (count: number) => readonly number[]) =>
  order(list.length).map((index) => list[index] as T);
/** A shuffle that is the same in each run. */
const shuffled = (seed: number) => (count: number) =>
  upTo(count)
    .map((index) => [((index + 1) * 7919 * seed) % 104_729, index] as const)
    .sort(([a], [b]) => a - b)
    .map(([, index]) => index);
const ORDERS: readonly (readonly [name: string, order: (count: number) => readonly number[]])[] = [
  ['reversed', (count) => upTo(count).reverse()],
  ['rotated', (count) => [...upTo(count).slice(1), 0].slice(0, count)],
  ...[3, 5, 11, 23, 47, 89].map((seed) => [`shuffled (${seed})`, shuffled(seed)] as const),
];
