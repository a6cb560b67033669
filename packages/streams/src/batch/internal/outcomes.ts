import { streamsError } from '../../errors.js';
import type { BatchReport } from '../../sources/event-types.js';
import type { LooseRecord } from '../../sources/internal/loose-record.js';

/** What became of a record. Whatever is not `DONE` in the end is reported, so that none can be lost. */
const UNTRIED = 0;
export const RUNNING = 1;
export const DONE = 2;
export const FAILED = 3;

/** Reads the identifier by which the service knows a record. */
export type Identify = (record: LooseRecord) => unknown;

/** The identifier of each kind of batch; `sequenceNumber` is what the service itself accepts of a stream. */
export function identifierOf(kind: string, streamIdentifier: 'eventID' | 'sequenceNumber'): Identify {
  if (kind === 'queue') return (record) => record.messageId;
  if (streamIdentifier === 'eventID') return (record) => record.eventID;
  return kind === 'stream' ? (record) => record.kinesis?.sequenceNumber : (record) => record.dynamodb?.SequenceNumber;
}

export function isIdentifier(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/**
 * The report of all records that are not done, in record order, each identifier once.
 *
 * @throws FrameworkError `streams.missing_identifier`: an empty list would tell the service that all went well
 */
export function toReport(records: readonly LooseRecord[], states: Uint8Array, identify: Identify): BatchReport {
  const failed = new Set<string>();
  for (let index = 0; index < records.length; index += 1) {
    if (states[index] === DONE) continue;
    const record = records[index];
    const identifier = record && identify(record);
    if (!isIdentifier(identifier)) throw streamsError('streams.missing_identifier', 'failed record has no identifier');
    failed.add(identifier);
  }
  return { batchItemFailures: Array.from(failed, (itemIdentifier) => ({ itemIdentifier })) };
}

/** How many records never started. */
export function countUntried(states: Uint8Array): number {
  return states.filter((state) => state === UNTRIED).length;
}

/** How many records started and did not complete. */
export function countFailed(states: Uint8Array): number {
  return states.filter((state) => state === FAILED).length;
}
