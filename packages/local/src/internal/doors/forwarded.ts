import { randomBytes } from 'node:crypto';
import { DOOR_PROFILES, type HttpDoorKind } from '@sallyport/testkit/events';
import { HOP_BY_HOP } from './head.js';

type Pairs = readonly (readonly [name: string, value: string])[];

/** The address of a client, and the port of the door. */
export interface ClientPlace {
  readonly sourceIp: string;
  readonly port: number;
}

/** Pairs of the raw headers of a Node request. */
export function toPairs(rawHeaders: readonly string[]): Pairs {
  const pairs: [string, string][] = [];
  for (let at = 0; at < rawHeaders.length; at += 2)
    pairs.push([rawHeaders[at] as string, rawHeaders[at + 1] as string]);
  return pairs;
}

/**
 * The headers that a door passes on: without those of the connection, with the client's address at the end of the forwarded
 * addresses, protocol and port of the door, and a trace id.
 */
export function forwardedHeaders(kind: HttpDoorKind, headers: Pairs, { sourceIp, port }: ClientPlace): Pairs {
  const { added } = DOOR_PROFILES[kind];
  const valuesOf = (wanted: string) =>
    headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value);
  const own = new Set(Object.values(added).map((name) => name.toLowerCase()));
  const [trace] = valuesOf('x-amzn-trace-id');
  return [
    ...headers.filter(([name]) => !HOP_BY_HOP.has(name.toLowerCase()) && !own.has(name.toLowerCase())),
    [added.for, [...valuesOf('x-forwarded-for'), sourceIp].join(', ')],
    [added.proto, 'http'],
    [added.port, String(port)],
    [added.trace, trace ?? newTrace()],
  ];
}

/** https://docs.aws.amazon.com/xray/latest/devguide/xray-concepts.html#xray-concepts-tracingheader */
function newTrace(): string {
  const seconds = Math.floor(Date.now() / 1000);
  return `Root=1-${seconds.toString(16).padStart(8, '0')}-${randomBytes(12).toString('hex')}`;
}
