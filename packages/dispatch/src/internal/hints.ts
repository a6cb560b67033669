import type { Miss, Nearest } from '../explain/explain.js';
import { type RowCheck, read } from '../explain/row-check.js';
import { isObject, isText, parsePath } from './compile.js';

/** Shapes that only an extension can serve: the row of the nearest relative, what it is, where it shows, and its tags. */
const OUTSIDE: readonly (readonly [near: string, name: string, path: string, ...tags: string[]])[] = [
  ['queue', 'an S3 notification', 'Records[0].eventSource', 'aws:s3'],
  ['stream', 'a Kafka batch', 'eventSource', 'aws:kafka', 'SelfManagedKafka'],
  ['appsync', 'a Cognito trigger', 'triggerSource'],
  ['gateway-v1', 'an authorizer request (a function of its own answers it)', 'authorizationToken'],
  ['stream', 'a Firehose batch', 'deliveryStreamArn'],
  ['event-bus', 'a custom resource request', 'ResponseURL'],
  ['stream', 'a log subscription (@sallyport/streams decodes it)', 'awslogs.data'],
  // https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-pipes-batching-concurrency.html
  ['queue', 'the list of a pipe (hand it on as { Records: list })', '[0].eventSource'],
];

const TAG = /^aws:(?:sqs|dynamodb|kinesis|sns)$/;

/**
 * The row that came closest and the usual mistake behind it: the row with most conditions held, else the row that a
 * recognised mistake points to, else nothing. Never throws.
 */
export function nearestRow(event: unknown, checks: readonly RowCheck[], extensions: number): Nearest | null {
  const outside = OUTSIDE.find(([, , path, ...tags]) => isThere(event, path, tags));
  let best = checks.reduce((most, check) => (check.held > most.held ? check : most));
  if (best.held === 0) {
    const pointed = checks.find(({ row, misses }) => (outside ? row.kind === outside[0] : mistakeIn(event, misses)));
    if (!pointed) return null;
    best = pointed;
  }
  const { row, misses } = best;
  const hint = outside
    ? `looks like ${outside[1]}; no opt-in row ${extensions > 0 ? 'takes it' : 'is registered'}`
    : mistakeIn(event, misses) || describe(misses);
  return { kind: row.kind, misses, hint };
}

function isThere(event: unknown, path: string, tags: readonly string[]): boolean {
  const found = read(event, parsePath(path));
  return isText(found) && (tags.length === 0 || tags.includes(found));
}

/** The first mistake that explains a miss, or `''`. */
function mistakeIn(event: unknown, misses: readonly Miss[]): string {
  for (const miss of misses) {
    const mistake = mistakeOf(event, miss);
    if (mistake !== '') return mistake;
  }
  return '';
}

function mistakeOf(event: unknown, { path, expected, found }: Miss): string {
  if (found === 'empty array' && expected === 'non-empty array') {
    return `"${path}" is empty: there is no record to tell the kind by`;
  }
  if (found === 'absent') {
    const steps = parsePath(path);
    const key = String(steps.pop());
    const slip = otherSpelling(read(event, steps), key);
    return slip === undefined ? '' : `"${slip}" is not "${key}": names are compared exactly`;
  }
  const tag = found.trim().toLowerCase();
  return tag !== found && TAG.test(tag) ? `"${found}" is not "${tag}": tags are compared exactly` : '';
}

/** A key that differs only in case, dashes and underscores. It is as short as the one that was wanted, so it is safe to show. */
function otherSpelling(container: unknown, key: string): string | undefined {
  try {
    if (!isObject(container)) return undefined;
    const plain = plainName(key);
    return Object.keys(container).find(
      (name) => name !== key && name.length <= key.length + 3 && plainName(name) === plain,
    );
  } catch {
    return undefined;
  }
}

function plainName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => letter.toLowerCase()).replace(/[-_]/g, '');
}

function describe([first]: readonly Miss[]): string {
  return first ? `"${first.path}": expected ${first.expected}, found ${first.found}` : '';
}
