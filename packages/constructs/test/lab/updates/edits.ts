/** Edits of an application as its developers make them: of its registrations, and of the sources in its stack. */
import type { Inventory, InventoryRoute, InventoryTrigger, Source } from '../../../src/index.js';

/** One edit. */
export interface Edit {
  readonly name: string;
  readonly inventory: Inventory;
  /** The new name of a source of the stack, by its key; `undefined` if it is removed. */
  readonly renamed: ReadonlyMap<string, string | undefined>;
  /** True if the resources of renamed sources are kept: a given source, or the prop `id` with the old name. */
  readonly keeps: boolean;
  /** Positions of the sources in the list of the stack, such as `[1, 0]`; unchanged if absent. */
  readonly order?: (count: number) => readonly number[];
  /** New sources of the stack. */
  readonly added?: () => readonly Source[];
}

/** The key of a registration, and of the source that serves it. */
export const keyOf = ({ kind, name, selector }: Pick<InventoryTrigger, 'kind' | 'name' | 'selector'>) =>
  selector === undefined ? `${kind} ${name}` : `event-bus ${JSON.stringify(selector)}`;

const routeName = ({ method, path, appSyncParentType, appSyncField, webSocketRouteKey }: InventoryRoute) =>
  method === undefined ? (webSocketRouteKey ?? `${appSyncParentType}.${appSyncField}`) : `${method} ${path}`;
const isPlain = (edit: Omit<Edit, 'renamed' | 'keeps'>): Edit => ({ ...edit, renamed: new Map(), keeps: true });

/** The kinds whose resource the service creates: a new name without `id` is another resource. */
const CREATED = ['queue', 'stream', 'topic', 's3'];

function renamedTrigger(trigger: InventoryTrigger): InventoryTrigger {
  const { name, selector } = trigger;
  if (selector === undefined) return { ...trigger, name: (name ?? '').replace(/(?=\.fifo$|$)/, '-renamed') };
  return {
    ...trigger,
    selector: Object.fromEntries(Object.entries(selector).map(([key, value]) => [key, `${value}-renamed`])),
  };
}

const nextName = ({ name, selector }: InventoryTrigger) =>
  selector === undefined ? name : (selector.ruleName ?? JSON.stringify(selector));

/** Every rename, removal and order of the registrations of an inventory. `attached` are the triggers for which the stack has a source; default: all. */
export function editsOf(
  inventory: Inventory,
  attached: (trigger: InventoryTrigger) => boolean = () => true,
): readonly Edit[] {
  const { routes, triggers } = inventory;
  const withRoutes = (next: readonly InventoryRoute[]): Inventory => ({ ...inventory, routes: next });
  const withTriggers = (next: readonly InventoryTrigger[]): Inventory => ({ ...inventory, triggers: next });
  const sources = triggers.filter(attached);
  const others = <T>(list: readonly T[], left: T) => list.filter((one) => one !== left);
  const swap = <T>(list: readonly T[], old: T, next: T) => list.map((one) => (one === old ? next : one));
  const rename = (one: InventoryTrigger, keeps: boolean): Edit => {
    const next = renamedTrigger(one);
    return {
      name: `${keeps ? 'rename' : 'replace'} ${keyOf(one)}`,
      inventory: withTriggers(swap(triggers, one, next)),
      renamed: new Map([[keyOf(one), nextName(next)]]),
      keeps,
    };
  };
  const http = routes.filter(
    ({ path = '' }) => path !== '' && !path.startsWith('/.well-known') && !path.startsWith('/mcp'),
  );
  return [
    isPlain({ name: 'nothing', inventory }),
    ...sources.map((one) => rename(one, true)),
    ...sources.filter(({ kind }) => CREATED.includes(kind)).map((one) => rename(one, false)),
    ...sources.map(
      (one): Edit => ({
        name: `remove ${keyOf(one)}`,
        inventory: withTriggers(others(triggers, one)),
        renamed: new Map([[keyOf(one), undefined]]),
        keeps: true,
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

/** Adds registrations, each with its source or without. */
export function additionsTo(
  inventory: Inventory,
  triggers: readonly (readonly [InventoryTrigger, () => Source])[],
  routes: readonly InventoryRoute[],
): readonly Edit[] {
  return [
    ...triggers.map(([trigger, source]) =>
      isPlain({
        name: `add ${keyOf(trigger)}`,
        inventory: { ...inventory, triggers: [...inventory.triggers, trigger] },
        added: () => [source()],
      }),
    ),
    ...routes.map((route) =>
      isPlain({
        name: `add ${routeName(route)}`,
        inventory: { ...inventory, routes: [...inventory.routes, { posture: 'authenticated', ...route }] },
      }),
    ),
  ];
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);
/** The members of a list in another order. */
export const pick = <T>(list: readonly T[], order: (count: number) => readonly number[]) =>
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
  ...[3, 5, 11].map((seed) => [`shuffled (${seed})`, shuffled(seed)] as const),
];
