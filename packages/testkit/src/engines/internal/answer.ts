import type { Outcome } from '../engine.js';

/** AWS's reading of an answer: the whole batch fails, no record fails, or these records fail. */
export type Verdict =
  | {
      readonly failed: 'all';
      readonly why: 'error' | 'missing-identifier' | 'unknown-identifier';
      readonly unknown: readonly string[];
    }
  | { readonly failed: readonly string[]; readonly unknown: readonly string[] };

const NONE: Verdict = { failed: [], unknown: [] };

/**
 * Reads an answer as an event source mapping does.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
 * @see https://docs.aws.amazon.com/lambda/latest/dg/kinesis-on-failure-destination.html
 */
export function readAnswer(
  outcome: Outcome,
  known: ReadonlySet<string>,
  { reportBatchItemFailures, ignoresUnknown }: { reportBatchItemFailures: boolean; ignoresUnknown: boolean },
): Verdict {
  if ('error' in outcome) return { failed: 'all', why: 'error', unknown: [] };
  if (!reportBatchItemFailures) return NONE;
  const failures = failuresOf(outcome.answer);
  if (failures === undefined) return { failed: 'all', why: 'error', unknown: [] };
  const ids = failures.map((failure) => (failure as { itemIdentifier?: unknown } | null)?.itemIdentifier);
  if (!ids.every(isFilled)) return { failed: 'all', why: 'missing-identifier', unknown: [] };
  const unknown = ids.filter((id) => !known.has(id));
  if (unknown.length > 0 && !ignoresUnknown) return { failed: 'all', why: 'unknown-identifier', unknown };
  return { failed: ids.filter((id) => known.has(id)), unknown };
}

/** The list of an answer; empty if AWS treats the answer as a success, `undefined` if AWS cannot read it. */
function failuresOf(answer: unknown): readonly unknown[] | undefined {
  if (answer === undefined || answer === null) return [];
  if (typeof answer !== 'object') return undefined;
  const { batchItemFailures } = answer as { batchItemFailures?: unknown };
  if (batchItemFailures === undefined || batchItemFailures === null) return [];
  return Array.isArray(batchItemFailures) ? batchItemFailures : undefined;
}

function isFilled(id: unknown): id is string {
  return typeof id === 'string' && id !== '';
}
