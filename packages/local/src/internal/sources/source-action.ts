import type { LocalAsync } from './async.js';
import { LocalQueue } from './queue.js';
import type { SourceAction } from './sources.js';
import { newId } from './sources-context.js';
import type { LocalStream } from './stream.js';

/** A source of the run. */
export type LocalSource = LocalQueue | LocalStream | LocalAsync;

/**
 * Applies a developer's action to a record of a source.
 *
 * @returns true if the record existed
 */
export function actOn(
  source: LocalSource,
  action: Exclude<SourceAction, 'fire'>,
  id: string | undefined,
  deadLetters: () => LocalQueue,
): boolean {
  if (action === 'now') return source.hurry(id);
  if (id === undefined) return false;
  if (!(source instanceof LocalQueue)) return action === 'delete' ? source.drop(id) : source.sendBack(id);
  const dead = deadLetters().stored.remove(id);
  if (!dead || action === 'delete') return dead !== undefined;
  // A message that is moved back is a new message: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-dead-letter-queue-redrive.html.
  const {
    DeadLetterQueueSourceArn: _,
    SequenceNumber: __,
    MessageDeduplicationId: ___,
    ...attributes
  } = {
    ...dead.record.attributes,
  } as Record<string, string>;
  const { messageId: ____, ...record } = dead.record;
  const MessageDeduplicationId = newId();
  source.send({ ...record, attributes: source.isFifo ? { ...attributes, MessageDeduplicationId } : attributes });
  return true;
}
