import { isObject, stringOf } from '@sallyport/core/internal';
import type { EventBusEvent } from '@sallyport/testkit/events';
import type { FleetFunction } from '../config/config.js';
import { findRoute, parseRoute } from '../doors/route.js';
import { ruleFilter } from '../services/events/rule-filter.js';

/** The place of an event: its kind and its target, as an origin names them. */
export interface Place {
  readonly kind: string;
  readonly target: string;
}

/** Names of the HTTP doors in templates. */
const DOORS: Readonly<Record<string, string>> = {
  'gateway-v2': 'http-api',
  'gateway-v1': 'rest-api',
  'function-url': 'function-url',
  'load-balancer': 'load-balancer',
  http: 'http-api',
  websocket: 'websocket',
  appsync: 'graphql',
};

/** The functions that an event reaches: one for a request and for a message of a queue, each subscriber of a topic, stream or bus. */
export function functionsFor(
  functions: readonly FleetFunction[],
  event: unknown,
  place: Place,
): readonly FleetFunction[] {
  if (place.kind === 'invoke') return functions.filter(({ name }) => name === place.target);
  const door = DOORS[place.kind];
  if (door !== undefined) return [byDoor(functions, door, place.target)].filter((one) => one !== undefined);
  const bySource = functions.filter(({ deployed }) =>
    deployed.sources.some(({ kind, name, pattern }) => {
      if (kind !== place.kind || (name ?? 'default') !== place.target) return false;
      return (
        kind !== 'event-bus' ||
        pattern === undefined ||
        ruleFilter(place.target, [{ pattern }])(event as EventBusEvent, [])
      );
    }),
  );
  if (bySource.length > 0) return bySource;
  const named = functions.filter(({ name }) => name === place.target);
  if (named.length > 0) return named;
  const own = placeOf(event);
  return own === undefined || own.kind === place.kind ? [] : functionsFor(functions, event, own);
}

function byDoor(functions: readonly FleetFunction[], kind: string, target: string): FleetFunction | undefined {
  const having = functions.filter(({ deployed }) => deployed.doors.some((one) => one.kind === kind));
  const candidates = having.length > 0 ? having : functions.filter(({ deployed }) => deployed.doors.length > 0);
  if (candidates.length <= 1) return candidates[0];
  const [method = '', path = ''] = target.split(' ');
  const owners = new Map<string, FleetFunction>();
  for (const one of candidates) {
    for (const key of one.deployed.doors.flatMap(({ routes }) => routes)) if (!owners.has(key)) owners.set(key, one);
  }
  const routes = [...owners.keys()].flatMap((key) => parseRoute(key) ?? []);
  const match = findRoute(routes, method, path.split('?', 1)[0] ?? '');
  return match && owners.get(match.route.key);
}

const ARN_KINDS: Readonly<Record<string, string>> = {
  sqs: 'queue',
  kinesis: 'stream',
  dynamodb: 'table-stream',
  sns: 'topic',
};

/** The place of an event that was sent as a whole. */
function placeOf(event: unknown): Place | undefined {
  if (!isObject(event)) return undefined;
  const [first] = Array.isArray(event.Records) ? event.Records : [];
  if (isObject(first)) {
    const topic = isObject(first.Sns) ? first.Sns.TopicArn : undefined;
    const [, service = '', name = ''] =
      /^arn:[^:]*:([^:]*):[^:]*:[^:]*:(?:\w+\/)?([^/]+)/.exec(stringOf(first.eventSourceARN ?? topic)) ?? [];
    const kind = ARN_KINDS[service];
    return kind === undefined ? undefined : { kind, target: name };
  }
  if (typeof event['detail-type'] === 'string') return { kind: 'event-bus', target: 'default' };
  const http = isObject(event.requestContext) && isObject(event.requestContext.http) ? event.requestContext.http : {};
  const [method, path] = [event.httpMethod ?? http.method, event.path ?? http.path];
  return typeof method === 'string' ? { kind: 'http', target: `${method} ${String(path)}` } : undefined;
}
