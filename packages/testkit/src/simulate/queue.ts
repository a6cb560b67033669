import { defineOptions, invalidOption } from '@sallyport/core/options';
import type { QueueRecordOptions } from '../builders/queue.js';
import type { UnclearAnswer } from '../engines/engine.js';
import { createQueueEngine, QUEUE_SETTINGS, type QueueSettings } from '../engines/queue.js';
import { positive } from '../internal/kinds.js';
import { drive } from './internal/drive.js';
import type { BuildApp } from './internal/ledger.js';
import type { SimulationResult } from './result.js';
import type { QueueSource } from './source.js';

/** Options of {@link simulate} for a queue: those of the queue, of its event source mapping and of the function. */
export interface QueueSimulation extends QueueSettings {
  /** The function's timeout in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number;
}

/** Validators and defaults for {@link QueueSimulation}. */
export const QUEUE_SIMULATION = defineOptions<QueueSimulation>()({
  ...QUEUE_SETTINGS,
  timeoutMs: positive.default(30_000),
});

export async function simulateQueue(
  buildApp: BuildApp,
  { arn, fifo, messages }: QueueSource,
  options: QueueSimulation | undefined,
): Promise<SimulationResult> {
  const { timeoutMs, ...settings } = QUEUE_SIMULATION.parse(options);
  if (fifo && settings.batchSize > 10) throw invalidOption('batchSize', 'at most 10 for a FIFO queue');
  return drive<QueueRecordOptions>(buildApp, {
    size: messages.length,
    timeoutMs,
    prepare: () => (parts) => createQueueEngine({ ...parts, ...settings, arn }),
    feed: (engine) => void engine.send(messages),
    wordsOf,
  });
}

function wordsOf({ records: [first = ''], reason, identifiers }: UnclearAnswer) {
  const named = identifiers.map((identifier) => JSON.stringify(identifier)).join(', ');
  const text =
    reason === 'missing-identifier'
      ? 'an entry of batchItemFailures has no itemIdentifier, so SQS returns the whole batch: name the messageId of each failed message'
      : `itemIdentifier ${named} is not a messageId of the batch, so SQS returns all of it: name the messageId of each failed message`;
  return [{ record: first, text }];
}
