import type { Environment, FullClock, IdGenerator, Logger, Observability } from '@sallyport/core';
import type { EventMiddleware } from '../../batch/handler.js';
import type { Delivery } from '../../batch/internal/record-batch.js';
import type { Observer } from '../../observability/internal/observer.js';

/** What all deliveries of one router share. */
export interface Kernel {
  readonly clock: FullClock;
  readonly ids: IdGenerator;
  readonly environment: Environment;
  readonly log: Logger;
  readonly observability: Observability;
  /** Makes what watches a delivery, if somebody listens; left out where nobody ever does. */
  readonly observe?: (delivery: Delivery, isBatch: boolean) => Observer | undefined;
  readonly marginMs: number;
  /** By what a failed stream record is reported. */
  readonly streamIdentifier: 'eventID' | 'sequenceNumber';
  /** Whether the code runs on real Lambda. */
  readonly isLambda: boolean;
  readonly maskErrors: boolean;
  /** Text of the error that stands for a handler's. */
  readonly failureText: string;
  /** First registered is outermost. */
  readonly middlewares: readonly EventMiddleware[];
}
