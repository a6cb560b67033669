import type { Difference } from '@sallyport/testkit/events';
import type { RunBase } from '../host/base.js';

/** The error of an invocation that would differ on AWS, with `--strict`. */
export const DIFFERS = 'local.differs_on_aws';

/**
 * Adds differences to the record of an invocation. With `--strict` a difference is a failure; the time of the next delivery is not a
 * difference.
 */
export function recordDifferences(
  { journal, config }: Pick<RunBase, 'journal' | 'config'>,
  id: number,
  found: readonly Difference[],
): void {
  for (const difference of found) journal.append(id, 'differences', difference);
  const [first] = found.filter(isStrict);
  if (!config.strict || first === undefined) return;
  const error = { errorType: DIFFERS, errorMessage: `on AWS this would differ: ${first.text}` };
  journal.update(id, { status: 'failed', error, summary: 'differs on AWS' });
}

/** True for a difference that `--strict` turns into a failure: the service can do something about it. */
export function isStrict({ topic }: Pick<Difference, 'topic'>): boolean {
  return topic !== 'retry' && isPrinted({ topic });
}

/** True for a difference that the terminal prints; the others are true of every such request, and are in the record only. */
export function isPrinted({ topic }: Pick<Difference, 'topic'>): boolean {
  return topic !== 'request.address' && topic !== 'token.key';
}
