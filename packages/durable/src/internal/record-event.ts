import { isObject, type Members } from '@sallyport/core/internal';
import { isHttpCredential, isSensitiveKey } from '@sallyport/core/observability';

/** Members with names and values that senders set, as in an HTTP header. */
const HEADERS: readonly string[] = ['headers', 'multivalueheaders', 'messageattributes'];

/**
 * The event of one record, as its trigger would send it: the event of an execution with this record alone, without credentials. AWS keeps it until the
 * retention of the execution has passed.
 *
 * @returns `undefined` if the event is not a list of these records
 */
export function eventOfRecord(event: unknown, index: number, count: number): unknown {
  if (!isObject(event)) return undefined;
  const { Records } = event;
  if (!Array.isArray(Records)) return count === 1 ? withoutCredentials(event) : undefined;
  if (Records.length !== count) return undefined;
  return withoutCredentials({ ...event, Records: [Records[index]] });
}

/** A copy without headers, attributes and members whose names are names of credentials. */
function withoutCredentials(value: unknown, isHeaders = false): unknown {
  if (Array.isArray(value)) {
    return value.filter((item) => !isHeaders || !isSecretPair(item)).map((item) => withoutCredentials(item, isHeaders));
  }
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([name, member]) => !isCredential(name, member, isHeaders));
  return Object.fromEntries(
    kept.map(([name, member]) => [name, withoutCredentials(member, HEADERS.includes(name.toLowerCase()))]),
  );
}

function isCredential(name: string, value: unknown, isHeader: boolean): boolean {
  if (isHeader) return isSensitiveKey(name);
  return isHttpCredential(name) && (typeof value === 'string' || Array.isArray(value));
}

/** A header as `{ name, value }`, or as an object with its name, as in Kafka. */
function isSecretPair(item: unknown): boolean {
  if (!isObject(item)) return false;
  const { name } = item as Members;
  const names = typeof name === 'string' ? [name] : Object.keys(item);
  return names.some(isSensitiveKey);
}
