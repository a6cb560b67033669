import { didYouMean } from '@sallyport/core/internal';
import { refused, streamsError } from '../../errors.js';

/** @throws FrameworkError `app.invalid_configuration` for a name without an address */
export function addressOf(
  option: string,
  addresses: Readonly<Record<string, string | undefined>>,
  name: string,
): string {
  const address = Object.hasOwn(addresses, name) ? addresses[name] : undefined;
  if (address !== undefined) return address;
  throw refused(`option "${option}" has no address for "${name}"${didYouMean(name, Object.keys(addresses))}`);
}

/** Source and detail type of `billing/InvoicePaid`; a detail type can contain a slash. */
export function eventNameOf(name: string): readonly [source: string, detailType: string] {
  const slash = name.indexOf('/');
  if (slash < 1 || slash === name.length - 1)
    throw refused(`an event is named by source and detail type: "billing/InvoicePaid" (got "${name}")`);
  return [name.slice(0, slash), name.slice(slash + 1)];
}

/** The members of a message group. @throws FrameworkError `app.invalid_configuration` for a FIFO address without a group */
export function groupOf(
  kind: 'queue' | 'topic',
  name: string,
  address: string,
  group: string | undefined,
  dedupe: string | undefined,
): { readonly MessageGroupId?: string; readonly MessageDeduplicationId?: string } {
  if (group === undefined && address.endsWith('.fifo'))
    throw refused(`${kind} "${name}" is FIFO: pass the option "group"`);
  return {
    ...(group !== undefined && { MessageGroupId: group }),
    ...(dedupe !== undefined && { MessageDeduplicationId: dedupe }),
  };
}

/**
 * The value as JSON. U+FFFE and U+FFFF are escaped, because SQS rejects them:
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
 *
 * @throws FrameworkError `streams.record_invalid` for a value without a JSON form
 */
export function jsonOf(value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    // A cycle, a bigint or a getter that throws.
  }
  if (text === undefined) throw streamsError('streams.record_invalid', 'the value has no JSON form');
  return text.replace(/[\ufffe\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16)}`);
}
