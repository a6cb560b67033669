import { bytesOfJson, LAMBDA_MAX_ANSWER_BYTES, membersOf } from '@sallyport/core/internal';
import { defineOptions } from '@sallyport/core/options';
import { type Data, positive } from '../../internal/kinds.js';
import type { BatchModel, Delivered, Fate, Item } from '../internal/batches.js';
import { listOf, resultsById, type Violate } from '../internal/members.js';

/** Options of `simulate` for records of Firehose. */
export interface FirehoseSimulation {
  /** Most records of one invocation. Default: 100. */
  readonly batchSize?: number;
  /** The function's timeout in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number;
}

/** Validators and defaults for {@link FirehoseSimulation}. */
export const FIREHOSE_SIMULATION = defineOptions<FirehoseSimulation>()({
  batchSize: positive.default(100),
  timeoutMs: positive.default(30_000),
});

/** Retries of an invocation that failed. */
const RETRIES = 3;
const RETRY = { againMs: 1000 } as const;

/** The records of an event. */
export function firehoseItems(event: Data): readonly Item[] {
  return listOf(event.records).map((part) => ({ id: String(membersOf(part).recordId), lane: '', part }));
}

/** Firehose's treatment of answers: `Ok` and `Dropped` are done, other records are stored in the folder of failed records. */
export function firehoseModel(event: Data, { batchSize }: Required<FirehoseSimulation>, violate: Violate): BatchModel {
  const again = ({ deliveries }: Delivered): Fate => (deliveries <= RETRIES ? RETRY : 'dead-letter');
  return {
    batchSize,
    eventOf: (items) => ({ ...event, records: items.map(({ part }) => part) }),
    judge(outcome, delivered) {
      const records = 'answer' in outcome ? membersOf(outcome.answer).records : undefined;
      if (!Array.isArray(records) || bytesOfJson({ records }) > LAMBDA_MAX_ANSWER_BYTES) return delivered.map(again);
      const ids = delivered.map(({ item }) => item.id);
      const results = resultsById(records, 'recordId', ids, violate);
      return ids.map((id) => (['Ok', 'Dropped'].includes(String(results.get(id)?.result)) ? 'done' : 'dead-letter'));
    },
  };
}
