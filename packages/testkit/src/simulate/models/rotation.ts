import { defineOptions } from '@sallyport/core/options';
import { count, type Data, positive } from '../../internal/kinds.js';
import type { BatchModel, Item } from '../internal/batches.js';

/** Options of `simulate` for a rotation. */
export interface RotationSimulation {
  /** Number of deliveries of each step, because Secrets Manager may repeat a step. Default: 2. */
  readonly repeats?: number;
  /** Retries of a step that failed. Default: 2. */
  readonly maximumRetryAttempts?: number;
  /** The function's timeout in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number;
}

/** Validators and defaults for {@link RotationSimulation}. */
export const ROTATION_SIMULATION = defineOptions<RotationSimulation>()({
  repeats: positive.default(2),
  maximumRetryAttempts: count.default(2),
  timeoutMs: positive.default(30_000),
});

const STEPS = ['createSecret', 'setSecret', 'testSecret', 'finishSecret'] as const;
const AT_ONCE = { againMs: 0 } as const;
const RETRY = { againMs: 60_000 } as const;

/** The four steps, in order. */
export function rotationItems(event: Data): readonly Item[] {
  return STEPS.map((id) => ({ id, lane: 'rotation', part: { ...event, Step: id } }));
}

/** Secrets Manager's behaviour: each step in order, some of them again; a permanent failure stops the rotation. */
export function rotationModel({ repeats, maximumRetryAttempts }: Required<RotationSimulation>): BatchModel {
  const failures = new Map<string, number>();
  return {
    batchSize: 1,
    eventOf: ([item]) => item?.part,
    judge: (outcome, delivered) =>
      delivered.map(({ item: { id }, deliveries }) => {
        const failed = (failures.get(id) ?? 0) + ('error' in outcome ? 1 : 0);
        failures.set(id, failed);
        if ('error' in outcome) return failed > maximumRetryAttempts ? 'halt' : RETRY;
        return deliveries - failed < repeats ? AT_ONCE : 'done';
      }),
  };
}
