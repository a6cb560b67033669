import { membersOf } from '@sallyport/core/internal';
import { defineOptions } from '@sallyport/core/options';
import { count, type Data, positive } from '../../internal/kinds.js';
import type { BatchModel, Item } from '../internal/batches.js';
import { listOf, resultsById, type Violate } from '../internal/members.js';

/** Options of `simulate` for a job of S3 Batch Operations. */
export interface BatchJobSimulation {
  /** Retries of a task that failed temporarily. S3 does not document their number. Default: 3. */
  readonly maximumRetryAttempts?: number;
  /** The function's timeout in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number;
}

/** Validators and defaults for {@link BatchJobSimulation}. */
export const BATCH_JOB_SIMULATION = defineOptions<BatchJobSimulation>()({
  maximumRetryAttempts: count.default(3),
  timeoutMs: positive.default(30_000),
});

const RETRY = { againMs: 1000 } as const;

/** One event for each task, whose ids are made unique. */
export function batchJobItems(events: readonly Data[]): readonly Item[] {
  return events.map((event, index) => {
    const id = `task-${index + 1}`;
    const tasks = listOf(event.tasks).slice(0, 1);
    const part = { ...event, invocationId: id, tasks: tasks.map((task) => ({ ...membersOf(task), taskId: id })) };
    return { id, lane: '', part };
  });
}

/** S3's treatment of answers: a task with a temporary failure is retried, a permanent failure is reported. */
export function batchJobModel({ maximumRetryAttempts }: Required<BatchJobSimulation>, violate: Violate): BatchModel {
  return {
    batchSize: 1,
    eventOf: ([item]) => item?.part,
    judge(outcome, delivered) {
      const ids = delivered.map(({ item }) => item.id);
      const { results, treatMissingKeysAs } = membersOf('answer' in outcome ? outcome.answer : undefined);
      const found = Array.isArray(results) ? resultsById(results, 'taskId', ids, violate) : undefined;
      return delivered.map(({ item, deliveries }) => {
        const missing = found === undefined ? 'TemporaryFailure' : treatMissingKeysAs;
        const code = found?.get(item.id)?.resultCode ?? missing;
        if (code === 'Succeeded') return 'done';
        return code === 'TemporaryFailure' && deliveries <= maximumRetryAttempts ? RETRY : 'dead-letter';
      });
    },
  };
}
