import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** A rejected request. */
export interface Refusal {
  readonly status: 401;
  readonly message: string;
}

/** Rejects a request without the token of this run. */
export function refuseWithoutToken({ headers }: Pick<IncomingMessage, 'headers'>, token: string): Refusal | undefined {
  const [scheme = '', given = ''] = (headers.authorization ?? '').split(' ');
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  if (scheme.toLowerCase() === 'bearer' && a.length === b.length && timingSafeEqual(a, b)) return undefined;
  return { status: 401, message: 'framework: open the console with the address that `sallyport dev` printed' };
}

/** Headers of every response. */
const HEADERS = {
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

/** Sets the headers of every response. */
export function protect(response: ServerResponse): void {
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
  response.setHeader('content-security-policy', "default-src 'none'; frame-ancestors 'none'; sandbox");
}

/** The policy of the page: its own scripts, styles with the nonce, no other origin, and no string that becomes markup or code. */
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
