import { type Input, optionalText } from '../../aws/service.js';
import { AwsFault } from '../../aws/wire.js';

/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html */
const MAX_MESSAGE_BYTES = 1_048_576;
const MAX_ENTRIES = 10;
const MAX_DELAY_S = 900;
const OUTSIDE = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;
const ENTRY_ID = /^[\w-]{1,80}$/;

/** @throws AwsFault `MissingParameter`, `InvalidMessageContents`; `InvalidParameterValue` for a message that is too large */
export function bodyOf(message: Input): string {
  const body = optionalText(message, 'MessageBody') ?? '';
  if (body === '') throw missing('MessageBody');
  if (OUTSIDE.test(body))
    throw new AwsFault(400, 'InvalidMessageContents', 'The message contains characters outside the allowed set.');
  if (bytesOf(message) > MAX_MESSAGE_BYTES) throw invalid(`a message has at most ${MAX_MESSAGE_BYTES} bytes`);
  return body;
}

/** The counted bytes: the body, and name, type and value of each attribute. */
function bytesOf(message: Input): number {
  const attributes = Object.entries((message.MessageAttributes ?? {}) as Record<string, Input>);
  const texts = attributes.flatMap(([name, value]) => [
    name,
    optionalText(value, 'DataType') ?? '',
    optionalText(value, 'StringValue') ?? Buffer.from(optionalText(value, 'BinaryValue') ?? '', 'base64'),
  ]);
  return [optionalText(message, 'MessageBody') ?? '', ...texts].reduce((sum, each) => sum + Buffer.byteLength(each), 0);
}

/** Delay of a message in seconds. A message of a FIFO queue must not have a delay. */
export function delayOf(delay: number, isFifo: boolean): number {
  if (delay < 0 || delay > MAX_DELAY_S) throw invalid(`DelaySeconds must be 0 to ${MAX_DELAY_S}`);
  if (isFifo && delay > 0) throw invalid('a message of a FIFO queue must not have DelaySeconds');
  return delay;
}

/** @throws AwsFault for a batch that is rejected as a whole */
export function assertEntries(entries: readonly Input[]): void {
  const ids = entries.map(({ Id }) => Id);
  if (entries.length === 0) throw new AwsFault(400, 'EmptyBatchRequest', 'The batch request has no entries.');
  if (entries.length > MAX_ENTRIES)
    throw new AwsFault(400, 'TooManyEntriesInBatchRequest', 'A batch has at most 10 entries.');
  if (!ids.every((id) => typeof id === 'string' && ENTRY_ID.test(id)))
    throw new AwsFault(400, 'InvalidBatchEntryId', 'An Id has 1 to 80 letters, digits, hyphens and underscores.');
  if (new Set(ids).size < ids.length)
    throw new AwsFault(400, 'BatchEntryIdsNotDistinct', 'Two entries have the same Id.');
}

/** @throws AwsFault `BatchRequestTooLong` */
export function assertTotal(entries: readonly Input[]): void {
  if (entries.reduce((sum, entry) => sum + bytesOf(entry), 0) > MAX_MESSAGE_BYTES)
    throw new AwsFault(400, 'BatchRequestTooLong', `A batch has at most ${MAX_MESSAGE_BYTES} bytes.`);
}

export function missing(parameter: string): AwsFault {
  return new AwsFault(400, 'MissingParameter', `The request must contain the parameter ${parameter}.`);
}

export function invalid(text: string): AwsFault {
  return new AwsFault(400, 'InvalidParameterValue', text);
}
