import { lazily, otherCopy, registerCopy } from '@sallyport/core/pipeline';
import { createSealer, noSealer, type Sealer } from '../../internal/crypto.js';
import { VERSION } from '../../internal/version.js';
import { keptBytes } from '../../store/internal/row-text.js';
import type { McpStore } from '../../store/store.js';
import { type McpServerOptions, parseOptions, type Settings } from '../options.js';
import { Registry } from './registry.js';

registerCopy('@sallyport/mcp', VERSION, new Error());

/** The data that all requests of one server share. It contains no data of a request. */
export interface Core {
  readonly settings: Settings;
  readonly registry: Registry;
  readonly sealer: Sealer;
  /** The limit for one stored value, and for all recorded data of a call, in bytes. */
  readonly maxKeptBytes: number;
}

/** @throws FrameworkError `app.invalid_configuration`, naming the option */
export function createCore(options: McpServerOptions): Core {
  const settings = parseOptions(options);
  const { secret, info, clock, spill } = settings;
  const sealer = secret === undefined ? noSealer : createSealer(secret, info.name, () => clock.now().getTime());
  return { settings, registry: new Registry(), sealer, maxKeptBytes: keptBytes(spill) };
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

/** The store. Only called if the checked options guarantee a store. */
export function storeOf({ settings: { store } }: Core): McpStore {
  if (!store) throw new Error('framework: mcp: no store');
  return store;
}

/** The interpreter of JSON Schema, and the code that checks answers with it. */
export const loadSchemaCheck = lazily(() => import('../../run/internal/schema-check.js'));
