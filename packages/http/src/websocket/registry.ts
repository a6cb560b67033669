import { type CallScope, type Clock, FrameworkError, systemClock } from '@sallyport/core';
import { defineOptions, INVALID_CONFIGURATION, integer, withMethods } from '@sallyport/core/options';

/** The key of a connection; `ctx.asWebSocket()` has all three parts. */
export interface ConnectionKey {
  /** Id of the API; no slash. */
  readonly apiId: string;
  /** Stage of the API; no slash. */
  readonly stage: string;
  /** Id of the connection, from the gateway. */
  readonly connectionId: string;
}

/** The record of a connection. */
export interface ConnectionRecord<T = unknown> {
  /** Epoch milliseconds from API Gateway: a record with another value belongs to another connection. */
  readonly connectedAt: number;
  /** Data of the application. */
  readonly data: T;
}

/** A store for connections between events. An expired record counts as absent. */
export interface ConnectionRegistry<T = unknown> {
  /** Writes or replaces a record. `ttlSeconds` is a positive whole number; a connection lasts at most two hours. */
  put(key: ConnectionKey, record: ConnectionRecord<T>, ttlSeconds: number, options?: CallScope): Promise<void>;
  /** Reads a record; `null` if absent, or when it has expired. */
  get(key: ConnectionKey, options?: CallScope): Promise<ConnectionRecord<T> | null>;
  /** Deletes a record; also succeeds if absent. */
  delete(key: ConnectionKey, options?: CallScope): Promise<void>;
}

/**
 * `apiId/stage/connectionId`, the key of a connection in stores.
 *
 * @throws FrameworkError `websocket.invalid_connection` for a blank part, or a slash that would make keys ambiguous
 */
export function connectionKey({ apiId, stage, connectionId }: ConnectionKey): string {
  const parts: readonly unknown[] = [apiId, stage, connectionId];
  const blank = parts.some((part) => typeof part !== 'string' || part.trim() === '');
  if (blank || apiId.includes('/') || stage.includes('/')) {
    throw new FrameworkError('websocket.invalid_connection', 'framework: connection key is incomplete');
  }
  return `${apiId}/${stage}/${connectionId}`;
}

/** Checks a lifetime in seconds. @throws FrameworkError `app.invalid_configuration` */
function assertTtl(ttlSeconds: number): void {
  if (Number.isSafeInteger(ttlSeconds) && ttlSeconds > 0) return;
  throw new FrameworkError(INVALID_CONFIGURATION, 'framework: ttlSeconds must be a positive whole number');
}

/** Options of {@link createMemoryConnectionRegistry}. */
export interface MemoryConnectionRegistryOptions {
  /** The clock for the expiry of records. Default: the machine's clock. */
  readonly clock?: Clock;
  /** The most records; if there are more, the oldest is removed. Default 10,000. */
  readonly maxConnections?: number;
}

/** Validators and defaults for {@link MemoryConnectionRegistryOptions}. */
export const REGISTRY_OPTIONS = defineOptions<MemoryConnectionRegistryOptions>()({
  clock: withMethods<Clock>('now'),
  maxConnections: integer(1).default(10_000),
});

/** A registry in this process's memory: for tests and a local server. Function instances do not share it. */
export function createMemoryConnectionRegistry<T = unknown>(
  options: MemoryConnectionRegistryOptions = {},
): ConnectionRegistry<T> {
  const { clock = systemClock, maxConnections } = REGISTRY_OPTIONS.parse(options);
  return new MemoryRegistry<T>(clock, maxConnections);
}

interface Entry<T> {
  readonly record: ConnectionRecord<T>;
  readonly expiresAt: number;
}

class MemoryRegistry<T> implements ConnectionRegistry<T> {
  readonly #clock: Clock;
  readonly #max: number;
  readonly #entries = new Map<string, Entry<T>>();

  constructor(clock: Clock, max: number) {
    this.#clock = clock;
    this.#max = max;
  }

  async put(key: ConnectionKey, record: ConnectionRecord<T>, ttlSeconds: number): Promise<void> {
    assertTtl(ttlSeconds);
    const name = connectionKey(key);
    const { connectedAt, data } = record;
    this.#entries.delete(name);
    this.#entries.set(name, {
      record: structuredClone({ connectedAt, data }),
      expiresAt: this.#clock.now().getTime() + ttlSeconds * 1000,
    });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#max && oldest !== undefined) this.#entries.delete(oldest);
  }

  async get(key: ConnectionKey): Promise<ConnectionRecord<T> | null> {
    const name = connectionKey(key);
    const entry = this.#entries.get(name);
    if (!entry) return null;
    if (this.#clock.now().getTime() < entry.expiresAt) return structuredClone(entry.record);
    this.#entries.delete(name);
    return null;
  }

  async delete(key: ConnectionKey): Promise<void> {
    this.#entries.delete(connectionKey(key));
  }
}
