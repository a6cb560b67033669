import { callerKey, lazily } from '@sallyport/core/pipeline';
import type { McpRequest } from '../../http/internal/exchange.js';
import { hashText, type Sealer } from '../../store/internal/crypto.js';
import type { McpStore } from '../../store/store.js';
import type { Settings } from '../options.js';
import type { Registry } from './registry.js';

/** The data that all requests of one server share. It contains no data of a request. */
export interface Core {
  readonly settings: Settings;
  readonly registry: Registry;
  readonly sealer: Sealer;
}

const CORES = new WeakMap<object, Core>();

/** Stores the core of a server, for the other entries of this package. */
export function keepCore(server: object, core: Core): void {
  CORES.set(server, core);
}

/** The core of a server that this package made. */
export function coreOf(server: object): Core | undefined {
  return CORES.get(server);
}

/** The caller as one string. Data bound to it can be decrypted only for the same caller. */
export function principalHash({ principal, tenantId }: Pick<McpRequest, 'principal' | 'tenantId'>): string {
  return hashText(callerKey({ principal, authIdentity: '', tenantId }));
}

/** The store. Only called where the checked options guarantee that there is one. */
export function storeOf({ settings: { store } }: Core): McpStore {
  if (!store) throw new Error('framework: mcp: no store');
  return store;
}

/** The interpreter of JSON Schema, and the code that checks answers with it. */
export const loadSchemaCheck = lazily(() => import('../../run/internal/schema-check.js'));
