import { isPlainObject } from '@sallyport/core/internal';
import type { InvokeOutcome } from '../runtime/invoker.js';

/**
 * The outcome of an event that reached several functions: the first failure, else the answer of the first function, with the failed
 * records of all functions.
 */
export function joinOutcomes(outcomes: readonly [InvokeOutcome, ...InvokeOutcome[]]): InvokeOutcome {
  const [first] = outcomes;
  const failed = outcomes.find(({ ok }) => !ok);
  if (failed !== undefined || outcomes.length === 1) return failed ?? first;
  const failures = outcomes.flatMap((outcome) => failuresOf(outcome));
  if (failures.length === 0 || !first.ok) return first;
  const unique = new Map(failures.map((one) => [JSON.stringify(one), one]));
  return { ...first, answer: { batchItemFailures: [...unique.values()] } };
}

function failuresOf(outcome: InvokeOutcome): readonly unknown[] {
  const answer = outcome.ok ? outcome.answer : undefined;
  return isPlainObject(answer) && Array.isArray(answer.batchItemFailures) ? answer.batchItemFailures : [];
}
