import { invalidOption } from '@sallyport/core/options';

interface Origin {
  readonly scheme: string;
  readonly host: string;
  readonly port: string;
}

const ORIGIN = /^([a-z][a-z0-9+.-]*):\/\/(\[[0-9a-f:.]+\]|[^\s:/?#@[\]\\]+)(?::(\d{1,5}))?$/i;
const HOST = /^(\[[0-9a-f:.]+\]|[^\s:/?#@[\]\\,]+)(?::\d{1,5})?$/i;
const DEFAULT_PORTS = new Map([
  ['http', '80'],
  ['https', '443'],
]);

/** Scheme, host and port in lower case, without the default port of the scheme. */
function parseOrigin(text: string): Origin | undefined {
  const match = ORIGIN.exec(text);
  if (!match) return undefined;
  const scheme = (match[1] ?? '').toLowerCase();
  const port = match[3] === undefined ? '' : String(Number(match[3]));
  return { scheme, host: (match[2] ?? '').toLowerCase(), port: DEFAULT_PORTS.get(scheme) === port ? '' : port };
}

const format = ({ scheme, host, port }: Origin): string => `${scheme}://${host}:${port}`;

/** True if a request with these `origin` and `host` values may pass. A request without `Origin` passes without this check. */
export type OriginCheck = (origins: readonly string[], hosts: readonly string[]) => boolean;

/**
 * The rule for browsers, which send `Origin`: it must be in the list. A loopback origin is also accepted
 * if `Host` is loopback, so local tools work and DNS rebinding does not. A `Host` that equals `Origin` proves nothing.
 *
 * @throws FrameworkError for an entry that is not an origin
 */
export function createOriginCheck(allowed: readonly string[]): OriginCheck {
  if (!Array.isArray(allowed)) throw invalidOption('allowedOrigins', 'a list of origins');
  const entries = new Set(
    allowed.map((entry: unknown) => {
      const origin = typeof entry === 'string' ? parseOrigin(entry) : undefined;
      if (!origin || origin.host.includes('*')) throw invalidOption('allowedOrigins', 'a list of origins');
      return format(origin);
    }),
  );
  return (origins, hosts) => {
    const [first = '', ...others] = origins;
    const origin = others.length === 0 ? parseOrigin(first.trim()) : undefined;
    if (!origin) return false;
    return (
      entries.has(format(origin)) || (isLoopback(origin.host) && hosts.length === 1 && hosts.every(isLoopbackHost))
    );
  };
}

/** True if a host name is loopback, in lower case and IPv6 in brackets (RFC 8252 section 7.3). */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

function isLoopbackHost(value: string): boolean {
  const match = HOST.exec(value.trim());
  return match !== null && isLoopback((match[1] ?? '').toLowerCase());
}
