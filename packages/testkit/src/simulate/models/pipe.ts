import { membersOf } from '@sallyport/core/internal';
import { boolean, defineOptions } from '@sallyport/core/options';
import { count, type Data, filled, positive } from '../../internal/kinds.js';
import type { BatchModel, Item } from '../internal/batches.js';
import type { Violate } from '../internal/members.js';

/** Options of `simulate` for the records of a pipe. */
export interface PipeSimulation {
  /** Most records of one batch. Default: 10. */
  readonly batchSize?: number;
  /** Retries of a batch whose enrichment failed. Default: 3. */
  readonly maximumRetryAttempts?: number;
  /** True if the source has a dead-letter queue; otherwise a record that is given up is lost. Default: `true`. */
  readonly deadLetter?: boolean;
  /** Invocations of the target that fail; the pipe then invokes the enrichment again with the batch. Default: 0. */
  readonly targetFailures?: number;
  /** The alias of the function that the pipe invokes. Default: none. */
  readonly alias?: string;
  /** The function's timeout in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number;
}

/** Validators and defaults for {@link PipeSimulation}. */
export const PIPE_SIMULATION = defineOptions<PipeSimulation>()({
  batchSize: positive.default(10),
  maximumRetryAttempts: count.default(3),
  deadLetter: boolean.default(true),
  targetFailures: count.default(0),
  alias: filled,
  timeoutMs: positive.default(30_000),
});

const RETRY = { againMs: 1000 } as const;

/** The records; those of a stream or of a message group wait for a record that is retried. */
export function pipeItems(records: readonly Data[]): readonly Item[] {
  return records.map((part, index) => {
    const id = String(part.messageId ?? part.eventID ?? `record-${index + 1}`);
    const group = part.eventSource === 'aws:sqs' ? membersOf(part.attributes).MessageGroupId : 'source';
    return { id, lane: String(group ?? ''), part };
  });
}

/**
 * The behaviour of EventBridge Pipes: a failed enrichment fails the whole batch, because partial failures are for targets only, and a failed
 * target repeats the enrichment: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-pipes-batching-concurrency.html.
 */
export function pipeModel(
  {
    batchSize,
    maximumRetryAttempts,
    deadLetter,
    targetFailures,
  }: Pick<Required<PipeSimulation>, 'batchSize' | 'maximumRetryAttempts' | 'deadLetter' | 'targetFailures'>,
  violate: Violate,
): BatchModel {
  let failing = targetFailures;
  return {
    batchSize,
    eventOf: (items) => items.map(({ part }) => part),
    judge(outcome, delivered) {
      if ('answer' in outcome && !Array.isArray(outcome.answer)) {
        const first = delivered[0]?.item.id ?? '';
        violate('missing-record', first, 'the answer is not a list, so the target receives one event: return a list');
      }
      const isEmpty = 'answer' in outcome && Array.isArray(outcome.answer) && outcome.answer.length === 0;
      const isTargetOk = isEmpty || failing === 0;
      if ('answer' in outcome && isTargetOk) return delivered.map(() => 'done');
      if ('answer' in outcome) failing -= 1;
      return delivered.map(({ deliveries }) =>
        deliveries <= maximumRetryAttempts ? RETRY : deadLetter ? 'dead-letter' : 'discarded',
      );
    },
  };
}
