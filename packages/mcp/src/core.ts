import { hashText } from './crypto.js';
import type { Exchange } from './exchange.js';
import type { Settings } from './options.js';
import type { Registry } from './registry.js';
import type { Sealer } from './seal.js';

/** What all requests of one server share. Nothing of a request is kept here. */
export interface Core {
  readonly settings: Settings;
  readonly registry: Registry;
  readonly sealer: Sealer;
}

/** Who calls, as one text: what is bound to it opens for nobody else. */
export function principalHash({ principal, tenantId }: Pick<Exchange, 'principal' | 'tenantId'>): string {
  if (!principal) return hashText(JSON.stringify(['', '', tenantId]));
  return hashText(JSON.stringify([principal.kind ?? 'external', principal.identity, principal.tenantId ?? tenantId]));
}
