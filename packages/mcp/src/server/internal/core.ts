import { callerKey } from '@sallyport/core/pipeline';
import type { Exchange } from '../../http/internal/exchange.js';
import { hashText } from '../../store/internal/crypto.js';
import type { Sealer } from '../../store/internal/sealer.js';
import type { McpStore } from '../../store/store.js';
import type { Settings } from '../options.js';
import type { Registry } from './registry.js';

/** What all requests of one server share. Nothing of a request is kept here. */
export interface Core {
  readonly settings: Settings;
  readonly registry: Registry;
  readonly sealer: Sealer;
}

/** Who calls, as one text: what is bound to it opens for nobody else. */
export function principalHash({ principal, tenantId }: Pick<Exchange, 'principal' | 'tenantId'>): string {
  return hashText(callerKey({ principal, authIdentity: '', tenantId }));
}

/** The store; only called where options have made sure that there is one. */
export function storeOf({ settings: { store } }: Core): McpStore {
  if (!store) throw new Error('framework: mcp: no store');
  return store;
}
