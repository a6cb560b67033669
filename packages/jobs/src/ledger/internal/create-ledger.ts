import type { FullClock, IdGenerator, Logger } from '@sallyport/core';
import type { ItemTable } from '@sallyport/dynamo';
import { idempotencyOperations } from '../../idempotency/internal/idempotency-records.js';
import { leaseOperations } from '../../leases/internal/leases.js';
import { semaphoreOperations } from '../../leases/internal/semaphores.js';
import type { JobLedger } from '../ledger.js';
import { jobOperations } from './jobs.js';
import { batchOperations } from './record-batches.js';
import { recordOperations } from './records.js';

export interface LedgerParts {
  readonly store: ItemTable;
  readonly clock: FullClock;
  readonly ids: IdGenerator;
  readonly log: Logger;
}

/** A ledger over any store. Its methods need no `this`, so that one of them can be replaced in a copy. */
export function createLedger({ store, clock, ids, log }: LedgerParts): JobLedger {
  const kit = { store, clock, ids };
  return Object.freeze({
    clock,
    ids,
    log,
    ...jobOperations(kit),
    ...recordOperations(kit),
    ...batchOperations(kit),
    ...leaseOperations(kit),
    ...semaphoreOperations(kit),
    ...idempotencyOperations(kit),
  });
}
