import { type Clock, randomIds, type SecurePrincipal } from '@sallyport/core';
import { completeClock } from '@sallyport/core/internal';
import { defineOptions, func, withMethods } from '@sallyport/core/options';
import { MemoryTable } from '@sallyport/dynamo';
import { principalOfData } from './internal/principal.js';
import { createRegistry } from './internal/table-registry.js';
import type { GroupedConnectionRegistry } from './registry.js';

/** Options of {@link createMemoryGroupedRegistry}. */
export interface MemoryGroupedRegistryOptions<T = unknown> {
  /** The clock for the expiry of connections. Default: the system's clock. */
  readonly clock?: Clock;
  /** Returns the principal of the connection with this data. Default: the `principal` that `connectionPrincipal` stores. */
  readonly principalOf?: (data: T) => SecurePrincipal | undefined;
}

const OPTIONS = defineOptions<MemoryGroupedRegistryOptions<never>>()({
  clock: withMethods<Clock>('now'),
  principalOf: func<(data: never) => SecurePrincipal | undefined>(),
});

/**
 * Connections in this process's memory, with the behaviour of the shared registry, for tests and local runs. Function instances
 * do not share it.
 *
 * @throws FrameworkError `app.invalid_configuration` for a wrong option
 * @example const connections = createMemoryGroupedRegistry<ConnectionPrincipal>();
 */
export function createMemoryGroupedRegistry<T = unknown>(
  options: MemoryGroupedRegistryOptions<T> = {},
): GroupedConnectionRegistry<T> {
  const { clock, principalOf = principalOfData } = OPTIONS.parse(options as MemoryGroupedRegistryOptions<never>);
  return createRegistry<T>({
    table: new MemoryTable(),
    clock: completeClock(clock),
    ids: randomIds,
    principalOf: principalOf as (data: T) => SecurePrincipal | undefined,
  });
}
