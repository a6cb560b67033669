import { callerKey, lazily, otherCopy, registerCopy, sha256Url } from '@sallyport/core/internal';
import type { McpRequest } from '../../http/internal/exchange.js';
import { VERSION } from '../../internal/version.js';
import { createSealer, noSealer, type Sealer } from '../../store/internal/crypto.js';
import type { McpStore } from '../../store/store.js';
import { type McpServerOptions, parseOptions, type Settings } from '../options.js';
import { Registry } from './registry.js';

registerCopy('@sallyport/mcp', VERSION, new Error());

/** The data that all requests of one server share. It contains no data of a request. */
export interface Core {
  readonly settings: Settings;
  readonly registry: Registry;
  readonly sealer: Sealer;
}

/** @throws FrameworkError `app.invalid_configuration`, naming the option */
export function createCore(options: McpServerOptions): Core {
  const settings = parseOptions(options);
  const { secret, info, clock } = settings;
  const sealer = secret === undefined ? noSealer : createSealer(secret, info.name, () => clock.now().getTime());
  return { settings, registry: new Registry(), sealer };
}

const CORES = new WeakMap<object, Core>();
/** Marks servers, so that the error for a server of another copy of this package differs from the error for other objects. */
const MARK = Symbol.for('sallyport.mcp.server/1');

/** Stores the core of a server, for the other entries of this package. */
export function keepCore(server: object, core: Core): void {
  CORES.set(server, core);
  Object.defineProperty(server, MARK, { value: true });
}

/**
 * The core of a server that this package created; `undefined` for any other object.
 *
 * @throws FrameworkError `app.internal` for a server of another copy of this package: its core has secrets
 */
export function coreOf(server: object): Core | undefined {
  const core = CORES.get(server);
  if (!core && MARK in Object(server)) throw otherCopy('@sallyport/mcp', 'the server');
  return core;
}

/**
 * The caller as one string, together with the endpoint if a server has several: its path parameters. Data bound to it is found only for
 * the same caller at the same endpoint, because a token is valid for one endpoint.
 */
export function principalHash({
  principal,
  tenantId,
  context,
}: Pick<McpRequest, 'principal' | 'tenantId' | 'context'>): string {
  const caller = callerKey({ principal, authIdentity: '', tenantId });
  const params = Object.entries(context.params);
  return sha256Url(params.length === 0 ? caller : JSON.stringify([caller, params]));
}

/** The store. Only called if the checked options guarantee a store. */
export function storeOf({ settings: { store } }: Core): McpStore {
  if (!store) throw new Error('framework: mcp: no store');
  return store;
}

/** The interpreter of JSON Schema, and the code that checks answers with it. */
export const loadSchemaCheck = lazily(() => import('../../run/internal/schema-check.js'));
