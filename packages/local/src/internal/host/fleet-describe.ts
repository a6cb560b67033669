import { isDeepStrictEqual } from 'node:util';
import type { FleetFunction } from '../config/config.js';
import type { Inspection, RouteView, TriggerView } from '../inspect/inspection.js';

/** The part of an inspection that one function of a run adds. */
export type Described = Pick<Inspection, 'routes' | 'triggers' | 'mcp'>;

/**
 * The routes and sources of one function. Until it has started, they come from the file; then its routes have their postures, and its
 * sources the schemas and options of their handlers.
 *
 * @param running the description of the running function; its handlers without a source in the file receive nothing
 */
export function describeFunction({ name, deployed }: FleetFunction, running: Inspection | undefined): Described {
  const known = running?.isOurs ? running : undefined;
  const routes = known?.routes ?? deployed.doors.flatMap((door) => door.routes.flatMap(toRoute));
  const triggers = deployed.sources.map(({ kind, name: source = '', selector }): TriggerView => {
    const trigger: TriggerView = {
      kind,
      name: kind === 'event-bus' ? '' : source,
      options: {},
      ...(kind === 'event-bus' && { selector: (selector ?? {}) as Readonly<Record<string, string>> }),
    };
    const handler = known?.triggers.find((one) => isSame(one, trigger));
    return { ...(handler ?? trigger), function: name };
  });
  return { routes: routes.map((route) => ({ ...route, function: name })), triggers, mcp: known?.mcp ?? [] };
}

function isSame(one: TriggerView, other: TriggerView): boolean {
  return one.kind === other.kind && one.name === other.name && isDeepStrictEqual(one.selector, other.selector);
}

/** The first route of each name: functions of one entry register the same routes. */
export function uniqueByName(routes: readonly RouteView[]): readonly RouteView[] {
  const names = new Set<string>();
  return routes.filter(({ surface, name }) => {
    const key = `${surface} ${name}`;
    if (names.has(key)) return false;
    names.add(key);
    return true;
  });
}

function toRoute(key: string): readonly RouteView[] {
  const [method, pattern] = key.split(' ');
  if (method === undefined || pattern === undefined) return [];
  return [{ surface: 'http', name: key, posture: null, scopes: [], streaming: false, method, pattern }];
}
