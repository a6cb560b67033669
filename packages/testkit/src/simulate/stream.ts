import { defineOptions, oneOf } from '@sallyport/core/options';
import type { UnclearAnswer } from '../engines/engine.js';
import type { ShardRecordOptions } from '../engines/internal/stream-entry.js';
import { createShardEngine, SHARD_SETTINGS, type ShardSettings } from '../engines/shard.js';
import { positive } from '../internal/kinds.js';
import { drive } from './internal/drive.js';
import type { BuildApp } from './internal/ledger.js';
import type { SimulationResult } from './result.js';
import type { StreamSource } from './source.js';

/** Options of {@link simulate} for a stream: settings of its event source mapping and of the function. */
export interface StreamSimulation extends ShardSettings {
  /**
   * Treatment of an unknown identifier: the batch fails, it is ignored, or `both`, one run each. AWS does not document
   * its behaviour. Default: `both`.
   */
  readonly unknownIdentifiers?: 'batch-fails' | 'ignored' | 'both';
  /** The function's timeout in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number;
}

/** Validators and defaults for {@link StreamSimulation}. */
export const STREAM_SIMULATION = defineOptions<StreamSimulation>()({
  ...SHARD_SETTINGS,
  unknownIdentifiers: oneOf('batch-fails', 'ignored', 'both').default('both'),
  timeoutMs: positive.default(30_000),
});

export async function simulateStream(
  buildApp: BuildApp,
  { arn, records }: StreamSource,
  options: StreamSimulation | undefined,
): Promise<SimulationResult> {
  const { timeoutMs, unknownIdentifiers: reading, ...settings } = STREAM_SIMULATION.parse(options);
  const run = (unknownIdentifiers: 'batch-fails' | 'ignored') =>
    drive<ShardRecordOptions>(buildApp, {
      size: records.length,
      timeoutMs,
      prepare: () => (parts) => createShardEngine({ ...parts, ...settings, arn, unknownIdentifiers }),
      feed: (engine) => void engine.send(records),
      wordsOf,
    });
  if (reading !== 'both') return run(reading);
  const failing = await run('batch-fails');
  return { ...failing, ignoring: await run('ignored') };
}

function wordsOf({ records, reason, identifiers }: UnclearAnswer) {
  const [first = ''] = records;
  if (reason === 'missing-identifier') {
    return [
      {
        record: first,
        text: 'an entry of batchItemFailures has no itemIdentifier, so Lambda retries the whole batch: name the sequence number of each failed record',
      },
    ];
  }
  return identifiers.map((identifier) => ({
    record: records.includes(identifier) ? identifier : first,
    text: `itemIdentifier ${JSON.stringify(identifier)} is not a sequence number of the batch, the only identifier that AWS documents: set the option streamFailureIdentifier to 'sequenceNumber'`,
  }));
}
