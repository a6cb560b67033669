import {
  type Difference,
  type DoorExchange,
  doorDifferences,
  type HttpDoorKind,
  toDifference,
} from '@sallyport/testkit/events';
import { recordDifferences } from '../differences/record.js';
import { doorRetry } from '../differences/retry.js';
import { type DoorSettings, deployedDoors } from './door-settings.js';
import type { DoorHost, DoorRequest, DoorResult } from './request.js';

/** Facts about one request that its door has served. */
export interface Served extends DoorResult {
  /** Milliseconds that the function needed, its start included. */
  readonly durationMs: number;
  /** Differences that were found before the function was invoked. */
  readonly before: readonly Difference[];
}

/** Adds what would differ on AWS to the record of a request. */
export function recordDoorDifferences(
  host: DoorHost,
  kind: HttpDoorKind,
  request: DoorRequest,
  { outcome, client, durationMs, before }: Served,
  settings: DoorSettings,
): void {
  const header = (wanted: string) => request.headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
  const exchange: DoorExchange = {
    body: request.body,
    contentType: header('content-type'),
    accept: header('accept'),
    // A streamed answer has other limits.
    ...(client !== undefined && { durationMs }),
    ...(outcome.ok && { answer: outcome.answer }),
  };
  const found = doorDifferences(kind, exchange, {
    ...(!settings.isBinaryAssumed && { binaryMediaTypes: settings.binaryMediaTypes }),
    multiValue: settings.multiValueHeaders,
    doors: [...new Set([kind, ...deployedDoors(host.config)])],
  });
  const { timeoutMs, inspect } = host.config;
  const late = durationMs > timeoutMs && outcome.ok && inspect === undefined;
  const retried = !outcome.ok && outcome.reason !== 'build' && outcome.reason !== 'authorizer' && client !== undefined;
  recordDifferences(host, outcome.id, [
    ...before,
    ...found,
    ...(kind === 'load-balancer' ? [] : [ADDRESS]),
    ...(late ? [tooLate(durationMs, timeoutMs)] : []),
    ...(retried ? [doorRetry(kind, client.status)] : []),
  ]);
}

/** A load balancer can have any host name, and an HTTP listener. */
const ADDRESS = toDifference(
  'request.address',
  'the headers host and x-forwarded-proto name this machine, so that redirects work here: on AWS, host is the domain in requestContext.domainName or your own domain, and the protocol is https',
);

/** On a busy machine a function has more time than on Lambda. */
function tooLate(durationMs: number, timeoutMs: number): Difference {
  const text = `Lambda stops the function after its timeout of ${timeoutMs / 1000} seconds; with its start it needed ${(durationMs / 1000).toFixed(1)}`;
  return toDifference('duration.function', text);
}

/** The deployed API does not have the route of a request that the service answers. */
export function missingRoute({ method, path }: DoorRequest, { file }: DoorSettings): Difference {
  const [pathname = ''] = path.split('?', 1);
  return toDifference(
    'route.missing',
    `${file} has no route for ${method} ${pathname}: the deployed API answers the request itself; add the route, or write the file again`,
  );
}
