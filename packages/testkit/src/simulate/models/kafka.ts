import { membersOf } from '@sallyport/core/internal';
import { boolean, defineOptions } from '@sallyport/core/options';
import { listed } from '../../builders/http.js';
import type { Outcome } from '../../engines/engine.js';
import { count, type Data, positive } from '../../internal/kinds.js';
import type { BatchModel, Delivered, Fate, Item } from '../internal/batches.js';
import { listOf, type Violate } from '../internal/members.js';

/** Options of `simulate` for records of Kafka. */
export interface KafkaSimulation {
  /** Most records of one invocation, of all partitions. Default: 100. */
  readonly batchSize?: number;
  /** Retries of a partition from the same offset. Default: 3. */
  readonly maximumRetryAttempts?: number;
  /** True if there is a failure destination; otherwise a record that is given up is lost. Default: `true`. */
  readonly onFailure?: boolean;
  /**
   * True if the event source mapping is in provisioned mode. On demand Lambda ignores reports and retries a failed batch without limit.
   * Default: `true`.
   */
  readonly provisioned?: boolean;
  /** The function's timeout in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number;
}

/** Validators and defaults for {@link KafkaSimulation}. */
export const KAFKA_SIMULATION = defineOptions<KafkaSimulation>()({
  batchSize: positive.default(100),
  maximumRetryAttempts: count.default(3),
  onFailure: boolean.default(true),
  provisioned: boolean.default(true),
  timeoutMs: positive.default(30_000),
});

const RETRY = { againMs: 1000 } as const;

/** The records of an event; a partition is a lane. */
export function kafkaItems(event: Data): readonly Item[] {
  return Object.entries(membersOf(event.records)).flatMap(([lane, records]) =>
    listOf(records).map((part) => ({ id: `${lane}-${String(membersOf(part).offset)}`, lane, part })),
  );
}

/** Lambda's treatment of answers to Kafka records: each partition continues from its lowest reported offset. */
export function kafkaModel(
  event: Data,
  { batchSize, maximumRetryAttempts, onFailure, provisioned }: Required<KafkaSimulation>,
  violate: Violate,
): BatchModel {
  const given = (deliveries: number): Fate =>
    !provisioned || deliveries <= maximumRetryAttempts ? RETRY : onFailure ? 'dead-letter' : 'discarded';
  const all = (delivered: readonly Delivered[]) => delivered.map(({ deliveries }) => given(deliveries));
  return {
    batchSize,
    eventOf: (items) => ({ ...event, records: listed(items.map(({ lane, part }) => [lane, part])) }),
    judge(outcome, delivered) {
      // https://docs.aws.amazon.com/lambda/latest/dg/kafka-retry-configurations.html
      if (!provisioned && 'answer' in outcome) return delivered.map(() => 'done');
      const failed = readReport(outcome, delivered, violate);
      if (failed === undefined) return all(delivered);
      return delivered.map(({ item, deliveries }) => {
        const from = failed.get(item.lane);
        if (from === undefined || offsetOf(item) < from) return 'done';
        return offsetOf(item) === from ? given(deliveries) : behind(delivered, item.lane, from, given);
      });
    },
  };
}

/** A record after the reported record has the same outcome: both are retried, or both are given up. */
function behind(
  delivered: readonly Delivered[],
  lane: string,
  from: number,
  given: (deliveries: number) => Fate,
): Fate {
  const first = delivered.find(({ item }) => item.lane === lane && offsetOf(item) === from);
  return given(first?.deliveries ?? 1);
}

function offsetOf({ part }: Item): number {
  return Number(membersOf(part).offset);
}

/** The lowest reported offset of each partition; `undefined` if all records are retried. */
function readReport(
  outcome: Outcome,
  delivered: readonly Delivered[],
  violate: Violate,
): ReadonlyMap<string, number> | undefined {
  if ('error' in outcome) return undefined;
  const known = new Set(delivered.map(({ item }) => item.id));
  const first = delivered[0]?.item.id ?? '';
  const lowest = new Map<string, number>();
  for (const failure of listOf(membersOf(outcome.answer).batchItemFailures)) {
    const { itemIdentifier } = membersOf(failure);
    const { partition, offset } = membersOf(itemIdentifier);
    if (typeof partition !== 'string' || typeof offset !== 'number') {
      violate(
        'missing-identifier',
        first,
        'an itemIdentifier is not { partition, offset }, so Lambda retries the whole batch: report the partition as a string and the offset as a number',
      );
      return undefined;
    }
    if (!known.has(`${partition}-${offset}`)) {
      violate(
        'unknown-identifier',
        first,
        `partition ${JSON.stringify(partition)}, offset ${offset} is not a record of the batch, so Lambda retries all of it: report both as in the event`,
      );
      return undefined;
    }
    lowest.set(partition, Math.min(offset, lowest.get(partition) ?? offset));
  }
  return lowest;
}
