import { isObject, membersOf } from '@sallyport/core/internal';
import { boolean, defineOptions } from '@sallyport/core/options';
import type { Outcome } from '../../engines/engine.js';
import { count, type Data, positive } from '../../internal/kinds.js';
import type { BatchModel, Item } from '../internal/batches.js';
import { listOf, type Violate } from '../internal/members.js';

/** Options of `simulate` for a stream whose event source mapping has a tumbling window. */
export interface WindowSimulation {
  /** Most records of one invocation. Default: 100. */
  readonly batchSize?: number;
  /** Retries of a batch. Default: 3. */
  readonly maximumRetryAttempts?: number;
  /** True if Lambda halves a failed batch. Default: `false`. */
  readonly bisectBatchOnFunctionError?: boolean;
  /** True if there is a failure destination; otherwise a record that is given up is lost. Default: `true`. */
  readonly onFailure?: boolean;
  /** The function's timeout in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number;
}

/** Validators and defaults for {@link WindowSimulation}. */
export const WINDOW_SIMULATION = defineOptions<WindowSimulation>()({
  batchSize: positive.default(100),
  maximumRetryAttempts: count.default(3),
  bisectBatchOnFunctionError: boolean.default(false),
  onFailure: boolean.default(true),
  timeoutMs: positive.default(30_000),
});

/** The last invocation of the window, which is without records if the batch before it was full. */
const FINAL = 'final';
const RETRY = { againMs: 1000 } as const;
const MAX_STATE_BYTES = 1_048_576;

/** The records of an event, and the end of its window. A shard is one lane. */
export function windowItems(event: Data): readonly Item[] {
  const records = listOf(event.Records).map((part, index) => ({
    id: String(membersOf(part).eventID ?? `record-${index + 1}`),
    lane: 'shard',
    part,
  }));
  return [...records, { id: FINAL, lane: 'shard', part: undefined }];
}

/**
 * Lambda's treatment of a window: the answered state is in the next event, a batch without a state in its answer has failed, and a state of
 * more than 1 MB ends the window early: https://docs.aws.amazon.com/lambda/latest/dg/services-kinesis-windows.html.
 */
export function windowModel(
  event: Data,
  { batchSize, maximumRetryAttempts, bisectBatchOnFunctionError: bisects, onFailure }: Required<WindowSimulation>,
  violate: Violate,
): BatchModel {
  let state: unknown = {};
  let size = batchSize;
  let isFinal = false;
  const isTooLarge = () => Buffer.byteLength(JSON.stringify(state)) > MAX_STATE_BYTES;
  return {
    get batchSize() {
      return size;
    },
    eventOf(items) {
      const isEarly = isTooLarge();
      isFinal = isEarly || items.some(({ id }) => id === FINAL);
      const Records = items.filter(({ id }) => id !== FINAL).map(({ part }) => part);
      return { ...event, Records, state, isFinalInvokeForWindow: isFinal, isWindowTerminatedEarly: isEarly };
    },
    judge(outcome, delivered) {
      const next = stateOf(outcome, delivered[0]?.item.id ?? '', violate);
      if (next !== undefined) {
        state = isFinal ? {} : next;
        size = batchSize;
        return delivered.map(() => 'done');
      }
      const isHalved = bisects && delivered.length > 1;
      if (isHalved) size = Math.ceil(delivered.length / 2);
      const isLeft = isHalved || (delivered[0]?.deliveries ?? 1) <= maximumRetryAttempts;
      return delivered.map(() => (isLeft ? RETRY : onFailure ? 'dead-letter' : 'discarded'));
    },
  };
}

/** The state of an answer; `undefined` for a failed batch. */
function stateOf(outcome: Outcome, first: string, violate: Violate): unknown {
  if ('error' in outcome) return undefined;
  const { state } = membersOf(outcome.answer);
  if (isObject(state)) return state;
  violate('missing-record', first, 'the answer has no state, so Lambda retries the batch: return { state }');
  return undefined;
}
