import { type Clock, randomIds } from '@sallyport/core';
import { completeClock } from '@sallyport/core/internal';
import { defineOptions, withMethods } from '@sallyport/core/options';
import { MemoryTable } from '@sallyport/dynamo';
import { controllerIncomplete } from '../errors.js';
import { createTableRegistry } from './internal/table-registry.js';
import type { MicrovmRegistry } from './registry.js';

/** Options of {@link createMemoryMicrovmRegistry}. */
export interface MemoryMicrovmRegistryOptions {
  /** Time source for expired sessions. Default: the system's clock. */
  readonly clock?: Clock;
}

/** Validators and defaults for {@link MemoryMicrovmRegistryOptions}. */
const MEMORY_REGISTRY_OPTIONS = defineOptions<MemoryMicrovmRegistryOptions>()(
  { clock: withMethods<Clock>('now') },
  { fail: controllerIncomplete },
);

/** A registry in memory with access to its rows. */
export interface MemoryMicrovmRegistry extends MicrovmRegistry {
  /** The table with all rows. */
  readonly table: MemoryTable;
}

/**
 * Creates a registry in the memory of this process, with the behaviour of the shared registry, for tests and local runs.
 *
 * @throws MicrovmError `microvm.controller_incomplete` for a wrong option
 * @example const registry = createMemoryMicrovmRegistry();
 */
export function createMemoryMicrovmRegistry(options: MemoryMicrovmRegistryOptions = {}): MemoryMicrovmRegistry {
  const { clock } = MEMORY_REGISTRY_OPTIONS.parse(options);
  const table = new MemoryTable();
  const registry = createTableRegistry({ table, clock: completeClock(clock), ids: randomIds, onBadRow: () => {} });
  return Object.assign(registry, { table });
}
