import { assertKnownOptions, invalidOption } from '@sallyport/core';
import type { EventHandler } from '../batch/handler.js';
import { refused } from '../errors.js';
import type { EventBusSelector } from '../sources/event-bus.js';
import { textOf } from '../sources/internal/loose-record.js';
import { isFifo, type RecordKind, type RecordSource } from '../sources/source.js';
import { type PhysicalNames, physicalName } from './internal/physical-names.js';
import type { Registration } from './internal/registry.js';
import { isCount } from './options.js';

export interface QueueOptions {
  /** Messages that run at once; default 1. Only for standard queues: the order of a FIFO queue is its point. */
  readonly concurrency?: number;
}

export interface StreamOptions {
  /**
   * `stop` reports the first failed record and all behind it untried; `continue`, the default, tries every record. AWS
   * delivers again from the first that was reported, so that with `continue` records which have succeeded run once more.
   */
  readonly onFailure?: 'continue' | 'stop';
}

/** One registration, for inventories. Frozen. */
export type Trigger =
  | { readonly kind: 'queue'; readonly name: string; readonly concurrency?: number }
  | { readonly kind: 'table-stream' | 'stream'; readonly name: string; readonly onFailure?: 'continue' | 'stop' }
  | { readonly kind: 'topic'; readonly name: string }
  | { readonly kind: 'event-bus'; readonly selector: EventBusSelector };

const OPTION_KEYS: Readonly<Record<RecordKind, readonly string[]>> = {
  queue: ['concurrency'],
  'table-stream': ['onFailure'],
  stream: ['onFailure'],
  topic: [],
};

/** What holds for the registrations of one router. */
export interface RegistrationDefaults {
  readonly physicalNames: PhysicalNames;
  /** Of standard queues that do not say. */
  readonly concurrency: number;
}

/** @throws FrameworkError for anything but a function */
export function assertHandler(handler: unknown, what = 'handler'): void {
  if (typeof handler !== 'function') throw refused(`${what} must be a function`);
}

/**
 * The registration of a record handler, and the physical name or ARN that it is for.
 *
 * @throws FrameworkError for a blank name, a handler that is no function, an option that is unknown or does not fit
 */
export function parseRegistration(
  kind: RecordKind,
  { noun, method }: RecordSource,
  name: string,
  handler: EventHandler<never>,
  options: QueueOptions & StreamOptions,
  defaults: RegistrationDefaults,
): { readonly place: string; readonly registration: Registration } {
  if (textOf(name).trim() === '') throw refused(`${noun} name is empty`);
  assertHandler(handler);
  assertKnownOptions(options, OPTION_KEYS[kind]);
  const { concurrency, onFailure = 'continue' } = options;
  const place = physicalName(defaults.physicalNames, method, name);
  const isStandardQueue = kind === 'queue' && !isFifo(place);
  if (concurrency !== undefined && !(isStandardQueue && isCount(concurrency))) {
    throw refused('concurrency needs a standard queue and a whole number');
  }
  if (onFailure !== 'continue' && onFailure !== 'stop') throw invalidOption('onFailure', '"continue" or "stop"');
  const registration = {
    name,
    handler: handler as EventHandler<unknown>,
    concurrency: isStandardQueue ? (concurrency ?? defaults.concurrency) : 1,
    stops: onFailure === 'stop',
  };
  return { place, registration };
}
