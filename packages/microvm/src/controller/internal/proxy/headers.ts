import { createMap } from '@sallyport/core/internal';
import type { HeaderEntry } from '../../../provider/transport.js';

/** Headers of one connection (RFC 9110 section 7.6.1); headers named by `connection` are added. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
]);
/** Headers for the controller, or added by the front door; the program must not receive them. */
const CALLERS_OWN: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'expect',
  'authorization',
  'x-api-key',
  'forwarded',
  'x-tenant-id',
  'x-namespace-id',
  // Replaced for the program.
  'x-request-id',
  'traceparent',
  'tracestate',
  'cookie',
]);
const CALLERS_PREFIXES = ['proxy-', 'x-amz-', 'x-amzn-', 'x-aws-proxy-', 'x-forwarded-', 'x-framework-'];
const SERVICE_PREFIXES = ['x-aws-proxy-', 'x-amzn-'];

/** True if a request header is forwarded to the program. The name is in lower case. */
function passesIn(name: string): boolean {
  return !CALLERS_OWN.has(name) && !CALLERS_PREFIXES.some((prefix) => name.startsWith(prefix));
}

/** True if a response header is forwarded to the client. The name is in lower case. */
function passesOut(name: string): boolean {
  return (
    name !== 'content-length' && name !== 'set-cookie' && !SERVICE_PREFIXES.some((prefix) => name.startsWith(prefix))
  );
}

/** Headers without connection headers, names in lower case. */
function endToEnd(headers: readonly HeaderEntry[], passes: (name: string) => boolean): HeaderEntry[] {
  const entries = headers.map(([name, value]) => [name.trim().toLowerCase(), value] as const);
  const listed = entries.flatMap(([name, value]) => (name === 'connection' ? value.split(',') : []));
  const dropped = new Set([...HOP_BY_HOP, ...listed.map((name) => name.trim().toLowerCase())]);
  return entries.filter(([name]) => name !== '' && !dropped.has(name) && passes(name));
}

/** The forwarded request headers, before the controller adds its headers. */
export function forwardedHeaders(headers: readonly HeaderEntry[]): HeaderEntry[] {
  return endToEnd(headers, passesIn);
}

/** The forwarded response headers, by name. */
export function answeredHeaders(headers: readonly HeaderEntry[], dropCors: boolean): Record<string, string[]> {
  const map = createMap<string[]>();
  for (const [name, value] of endToEnd(headers, passesOut)) {
    if (dropCors && name.startsWith('access-control-')) continue;
    const values = map[name];
    if (values === undefined) map[name] = [value];
    else values.push(value);
  }
  return map;
}

/** The values of a header, its name in lower case. */
export function valuesOf(headers: readonly HeaderEntry[], wanted: string): readonly string[] {
  return headers.flatMap(([name, value]) => (name.trim().toLowerCase() === wanted ? [value] : []));
}
