import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Names of this machine that a browser may have asked for. */
const OWN_NAMES = ['127.0.0.1', 'localhost', '[::1]'] as const;

/** Why a request is refused. */
export interface Refusal {
  readonly status: 401 | 403 | 421;
  readonly message: string;
}

/**
 * Refuses what another page or another name sends. A name that resolves to this machine is no proof: the `Host` header must be
 * a loopback name with the port, and an `Origin`, which browsers send with every request that could change something, the same.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-15.5.20
 */
export function refuseForeign({ headers }: Pick<IncomingMessage, 'headers'>, port: number): Refusal | undefined {
  const own = OWN_NAMES.map((name) => `${name}:${port}`);
  if (headers.host === undefined || !own.includes(headers.host.toLowerCase()))
    return { status: 421, message: 'framework: the console answers to 127.0.0.1 and localhost only' };
  if (headers.origin !== undefined && !own.some((name) => headers.origin === `http://${name}`))
    return { status: 403, message: 'framework: another page may not call the console' };
  return undefined;
}

/** Refuses a request without the token of this run. */
export function refuseWithoutToken({ headers }: Pick<IncomingMessage, 'headers'>, token: string): Refusal | undefined {
  const [scheme = '', given = ''] = (headers.authorization ?? '').split(' ');
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  if (scheme.toLowerCase() === 'bearer' && a.length === b.length && timingSafeEqual(a, b)) return undefined;
  return { status: 401, message: 'framework: open the console with the address that `sallyport dev` printed' };
}

/** Headers of every answer. */
const HEADERS = {
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

/** Sets the headers that every answer has. */
export function protect(response: ServerResponse): void {
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
  response.setHeader('content-security-policy', "default-src 'none'; frame-ancestors 'none'; sandbox");
}

/** The policy of the page: own scripts, styles with the nonce, no other origin, no text that becomes markup or code. */
export function pagePolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}
