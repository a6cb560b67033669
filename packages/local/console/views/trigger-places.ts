import { computed, signal } from '@preact/signals';
import type { RouteView, TriggerView } from '../../src/internal/inspect/inspection.js';
import { type UseLine, useLinesOfRoute, useLinesOfTrigger } from '../parts/use-lines.js';
import { neighbour } from '../parts/view.js';
import { inventory, run } from '../store.js';

/** An element in the view of triggers that keys can act on: a door, a route, an event handler, or a line to copy. */
export interface Place {
  readonly id: string;
  /** The string that the key for copying copies. */
  readonly text: string;
  /** The name of that string, for the status line. */
  readonly of: string;
  /** The target for the form of `send`; absent for doors and lines. */
  readonly sendTo?: string;
}

/** A route or an event handler with its lines. */
export interface Operation extends Place {
  readonly name: string;
  readonly sendTo: string;
  readonly lines: readonly UseLine[];
}

/** The doors, by their names on AWS. */
const DOOR_NAMES: Readonly<Record<string, string>> = {
  'gateway-v2': 'HTTP API',
  'gateway-v1': 'REST API',
  'load-balancer': 'Load balancer',
  'function-url': 'Function URL',
  websocket: 'WebSocket API',
  graphql: 'GraphQL API',
  aws: 'AWS calls',
};

const chosen = signal('');
const opened = signal<ReadonlySet<string>>(new Set());

/** The open doors. */
export const doors = computed<readonly (Place & { readonly name: string })[]>(() =>
  Object.entries(run.value?.addresses ?? {}).flatMap(([kind, address]) => {
    const name = DOOR_NAMES[kind];
    return name === undefined ? [] : [{ id: `door ${kind}`, name, text: address, of: `the address of ${name}` }];
  }),
);

/** Returns the place of a route in this view. */
export function operationOfRoute(route: RouteView): Operation {
  const lines = useLinesOfRoute(route, run.value?.addresses ?? {});
  return toOperation(`route ${route.surface} ${route.name}`, route.name, lines);
}

/** Returns the place of an event handler in this view. */
export function operationOfTrigger(trigger: TriggerView): Operation {
  const name = trigger.name || JSON.stringify(trigger.selector ?? {});
  const operation = toOperation(
    `handler ${trigger.kind} ${name}`,
    name,
    useLinesOfTrigger(trigger, run.value?.addresses ?? {}),
  );
  const schedule = trigger.selector?.scheduleName ?? trigger.selector?.ruleName;
  return schedule === undefined ? operation : { ...operation, sendTo: `schedule ${schedule}` };
}

function toOperation(id: string, name: string, lines: readonly UseLine[]): Operation {
  const [first] = lines;
  const of = `the line ${first?.label ?? ''} for ${name}`;
  return { id, name, lines, text: first?.text ?? '', of, sendTo: `${first?.kind ?? 'event'} ${name}` };
}

/** The lines of an operation, as places. */
export function linesOf({ id, name, lines }: Operation): readonly (Place & { readonly label: string })[] {
  return lines.map(({ label, text }) => ({ id: `${id} ${label}`, label, text, of: `the line ${label} for ${name}` }));
}

/** In the order of the page; lines only if they are shown. */
const places = computed<readonly Place[]>(() => {
  const { routes = [], triggers = [] } = inventory.value ?? {};
  const operations = [...routes.map(operationOfRoute), ...triggers.map(operationOfTrigger)];
  const shown = operations.flatMap((one) => [one, ...(isOpen(one) ? linesOf(one) : [])]);
  return [...doors.value, ...shown];
});

/** The place that keys act on: the chosen place, else the first. */
export const current = computed(() => places.value.find(({ id }) => id === chosen.value) ?? places.value[0]);

/** The operation of the primary action: the current one, else the first. */
export const primary = computed(() => {
  const operations = places.value.filter(({ sendTo }) => sendTo !== undefined);
  return operations.find(({ id }) => id === current.value?.id) ?? operations[0];
});

export function isOpen({ id }: Place): boolean {
  return opened.value.has(id);
}

/** Shows the lines of an operation, or hides them. */
export function toggle({ id }: Place): void {
  const next = new Set(opened.value);
  if (!next.delete(id)) next.add(id);
  opened.value = next;
  chosen.value = id;
}

/** Chooses the next or the previous place. */
export function step(by: number): void {
  const ids = places.value.map(({ id }) => id);
  chosen.value = neighbour(ids, current.value?.id, by) ?? '';
}
