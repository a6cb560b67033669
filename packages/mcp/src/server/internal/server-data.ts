import { lazily, otherCopy, registerCopy } from '@sallyport/core/internal';
import { createSealer, noSealer, type Sealer } from '../../internal/crypto.js';
import { VERSION } from '../../internal/version.js';
import { MAX_ROW_TEXT_BYTES, MAX_SPILLED_TEXT_BYTES, type McpStore } from '../../store/store.js';
import { type McpServerOptions, parseOptions, type Settings } from '../options.js';
import { Registry } from './registry.js';

registerCopy('@sallyport/mcp', VERSION, new Error());

/** The data that all requests of one server share. It contains no data of a request. */
export interface ServerData {
  readonly settings: Settings;
  readonly registry: Registry;
  readonly sealer: Sealer;
  /** The limit for one stored value, in bytes: an event, a result, arguments, a question, an answer, or all recorded data of a call. */
  readonly maxKeptBytes: number;
}

/** @throws FrameworkError `app.invalid_configuration`, naming the option */
export function createServerData(options: McpServerOptions): ServerData {
  const settings = parseOptions(options);
  const { secret, info, clock, spill } = settings;
  const sealer = secret === undefined ? noSealer : createSealer(secret, info.name, () => clock.now().getTime());
  return {
    settings,
    registry: new Registry(),
    sealer,
    maxKeptBytes: spill ? MAX_SPILLED_TEXT_BYTES : MAX_ROW_TEXT_BYTES,
  };
}

const SERVER_DATA = new WeakMap<object, ServerData>();
/** Marks servers, so that the error for a server of another copy of this package differs from the error for other objects. */
const MARK = Symbol.for('sallyport.mcp.server/1');

/** Stores the data of a server, for the other entries of this package. */
export function keepServerData(server: object, data: ServerData): void {
  SERVER_DATA.set(server, data);
  Object.defineProperty(server, MARK, { value: true });
}

/**
 * The data of a server that this package created; `undefined` for any other object.
 *
 * @throws FrameworkError `app.internal` for a server of another copy of this package: its data has secrets
 */
export function serverDataOf(server: object): ServerData | undefined {
  const data = SERVER_DATA.get(server);
  if (!data && MARK in Object(server)) throw otherCopy('@sallyport/mcp', 'the server');
  return data;
}

/** The store. Only called if the checked options guarantee a store. */
export function storeOf({ settings: { store } }: ServerData): McpStore {
  if (!store) throw new Error('framework: mcp: no store');
  return store;
}

/** The interpreter of JSON Schema, and the code that checks answers with it. */
export const loadSchemaCheck = lazily(() => import('../../run/internal/schema-check.js'));
