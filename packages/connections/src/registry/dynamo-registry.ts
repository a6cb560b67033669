import { type Clock, type Environment, type IdGenerator, randomIds, type SecurePrincipal } from '@sallyport/core';
import { completeClock } from '@sallyport/core/internal';
import { defineOptions, func, integer, object, text, withMethods } from '@sallyport/core/options';
import { type Client, DynamoTable } from '@sallyport/dynamo';
import { ConnectionError } from '../errors.js';
import { WEBSOCKET_CONNECTIONS_TABLE_NAME_ENV } from '../schema.js';
import { principalOfData } from './internal/principal.js';
import { createRegistry } from './internal/table-registry.js';
import type { GroupedConnectionRegistry } from './registry.js';

/** Options of {@link createDynamoConnectionRegistry}. */
export interface DynamoConnectionRegistryOptions<T = unknown> {
  /** The table. Default: the variable `FRAMEWORK_WEBSOCKET_CONNECTIONS_TABLE_NAME`. */
  readonly tableName?: string;
  /** The DynamoDB client. Default: a client with the SDK's default settings, created at the first call. */
  readonly client?: Client;
  /** The clock for the expiry of connections. Default: the system's clock. */
  readonly clock?: Clock;
  /** Creates the ids of writes. Default: random UUIDs. */
  readonly ids?: IdGenerator;
  /** Environment variables. Default `process.env`. */
  readonly environment?: Environment;
  /** Milliseconds for all attempts of one call to the table, 1 to 60,000. Default 3,000. Loading the AWS SDK is not counted. */
  readonly storeTimeoutMs?: number;
  /**
   * Returns the principal of the connection with this data, for `listByPrincipal`. Default: the `principal` that `connectionPrincipal`
   * stores.
   */
  readonly principalOf?: (data: T) => SecurePrincipal | undefined;
}

/** Validators and defaults for {@link DynamoConnectionRegistryOptions}. */
export const CONNECTION_REGISTRY_OPTIONS = defineOptions<DynamoConnectionRegistryOptions<never>>()({
  tableName: text('the name of the table').orVariable(WEBSOCKET_CONNECTIONS_TABLE_NAME_ENV),
  client: withMethods<Client>('send'),
  clock: withMethods<Clock>('now'),
  ids: withMethods<IdGenerator>('newId').default(randomIds),
  environment: object<Environment>(),
  storeTimeoutMs: integer(1, 60_000, 'milliseconds').default(3000),
  principalOf: func<(data: never) => SecurePrincipal | undefined>(),
});

/**
 * Connections in one DynamoDB table, for all instances of a function. The AWS SDK is loaded at the first call.
 *
 * @throws FrameworkError `app.invalid_configuration` for a wrong option, or if both the option and the variable are missing
 * @example
 * const connections = createDynamoConnectionRegistry<ConnectionPrincipal>();
 * new SecureApp({ principalResolver: connectionPrincipal({ store: connections, connect: jwt, ttlSeconds: 7200 }) });
 */
export function createDynamoConnectionRegistry<T = unknown>(
  options: DynamoConnectionRegistryOptions<T> = {},
): GroupedConnectionRegistry<T> {
  const given = CONNECTION_REGISTRY_OPTIONS.parse(options as DynamoConnectionRegistryOptions<never>);
  const { tableName, client, ids, storeTimeoutMs: timeoutMs, principalOf = principalOfData } = given;
  const clock = completeClock(given.clock);
  const table = new DynamoTable({ tableName, client, clock, timeoutMs, toError });
  return createRegistry<T>({ table, clock, ids, principalOf: principalOf as (data: T) => SecurePrincipal | undefined });
}

function toError(cause: unknown, transient: boolean): ConnectionError {
  const code = transient ? 'connections.store_unavailable' : 'connections.store_failed';
  return new ConnectionError(code, 'connection table unavailable', { cause });
}
