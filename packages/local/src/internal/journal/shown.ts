import type { InvokeOutcome } from '../runtime/invoker.js';
import { createCleaner } from './cleaner.js';
import type { Journal } from './journal.js';

/** An outcome as the console may show it: with the answer and the error of its record. */
export function shownOutcome(journal: Pick<Journal, 'get'>, outcome: InvokeOutcome): InvokeOutcome {
  const record = journal.get(outcome.id);
  // A record that is not kept any more, or has no answer yet, reveals nothing.
  const clean = createCleaner(false);
  if (outcome.ok) return { ...outcome, answer: record ? record.answer : clean(outcome.answer) };
  return { ...outcome, error: record?.error ?? (clean(outcome.error) as typeof outcome.error) };
}
