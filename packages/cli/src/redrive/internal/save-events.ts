import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sanitizeJson, sanitizeValue, scrubFreeText } from '@sallyport/core/observability';
import type { AwsAccess } from '../../internal/aws-access.js';
import type { DeadLetter } from './letters.js';
import { readRecords } from './stream-records.js';

/**
 * Writes the sanitized event of each dead letter to a file, for `sallyport replay --as-test`.
 *
 * @returns the names of the files
 */
export async function saveEvents(
  access: AwsAccess,
  folder: string,
  letters: readonly DeadLetter[],
): Promise<readonly string[]> {
  mkdirSync(folder, { recursive: true });
  const files: string[] = [];
  for (const letter of letters) {
    const event = await eventOf(access, letter);
    if (event === undefined) continue;
    const file = join(folder, `${letter.id.replace(/[^\w-]/g, '_')}.json`);
    writeFileSync(file, `${JSON.stringify(event, undefined, 2)}\n`, { mode: 0o600 });
    files.push(file);
  }
  return files;
}

/** The event as the function receives it; `undefined` if it is not known. */
async function eventOf(access: AwsAccess, letter: DeadLetter): Promise<unknown> {
  const { destination, id, message } = letter;
  if (destination.kind === 'none') return undefined;
  if (destination.kind === 'function') return sanitizeValue(destination.event);
  if (destination.kind === 'records') return sanitizeRecords(await readRecords(access, destination.batch));
  const { MessageGroupId, ApproximateReceiveCount, SentTimestamp } = message.Attributes ?? {};
  const record = {
    messageId: id,
    receiptHandle: 'receipt',
    body: sanitizeText(message.Body ?? ''),
    attributes: { ApproximateReceiveCount, SentTimestamp, MessageGroupId },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: destination.arn,
    awsRegion: destination.arn.split(':')[3],
  };
  return { Records: [record] };
}

/** Data of Kinesis is base64: the text in it is sanitized, too. */
function sanitizeRecords(event: { readonly Records: readonly object[] } | undefined): unknown {
  if (!event) return undefined;
  const records = event.Records.map((record) => {
    const { kinesis } = record as { readonly kinesis?: { readonly data: string } };
    if (!kinesis) return sanitizeValue(record);
    const text = sanitizeText(Buffer.from(kinesis.data, 'base64').toString());
    return { ...record, kinesis: { ...kinesis, data: Buffer.from(text).toString('base64') } };
  });
  return { Records: records };
}

function sanitizeText(text: string): string {
  const isJson = /^\s*[{[]/.test(text);
  return isJson ? sanitizeJson(text) : scrubFreeText(text);
}
