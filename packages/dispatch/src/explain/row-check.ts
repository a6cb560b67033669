import type { TriggerKind } from '@sallyport/core';
import { isObject, isText, sanitizeLogString } from '@sallyport/core/internal';
import {
  ABSENT,
  type CompiledCondition,
  type CompiledRow,
  conditionHolds,
  isNegative,
  parsePath,
  valueAt,
} from '../internal/compile.js';
import { isUrlDomain } from '../rows.js';
import { OPT_IN_SHAPES } from './internal/opt-in-shapes.js';

/** One failed condition of a row. It contains no value of the payload except tag fields. */
export interface Miss {
  /** The condition's path, or the first part of it that the event does not have. */
  readonly path: string;
  /** The string that `equals` compares with, or the name of the test: `object`, `non-empty array`, … */
  readonly expected: string;
  /** `absent`, `null`, `blank string`, `number`, `empty array`, …; for a tag field the tag itself. */
  readonly found: string;
}

/** The nearest row, with a hint. */
export interface Nearest {
  /** Kind of the nearest row. */
  readonly kind: TriggerKind;
  /** The failed conditions of that row. */
  readonly misses: readonly Miss[];
  /** A sentence for developers: the type that the event resembles, or the misspelt name or tag. */
  readonly hint: string;
}

/** The result of testing a row against an event. */
export interface RowCheck {
  readonly row: CompiledRow;
  /** The number of fulfilled conditions of the best alternative; conditions that an empty event fulfils do not count. */
  readonly held: number;
  /** Empty if the row matches. */
  readonly misses: readonly Miss[];
}

/** Never throws: a value that cannot be read is a miss. */
export function checkRow(row: CompiledRow, event: unknown): RowCheck {
  return row.acceptsList && isBatch(event) ? checkBatch(row, event) : checkObject(row, event, '');
}

function checkObject(row: CompiledRow, event: unknown, prefix: string): RowCheck {
  const misses = new Map<string, Miss>();
  let most = 0;
  let matched = false;
  for (const all of row.anyOf) {
    let held = 0;
    let missed = 0;
    for (const condition of all) {
      const miss = missOf(condition, event, prefix);
      if (miss) {
        missed += 1;
        misses.set(`${miss.path} ${miss.expected}`, miss);
      } else if (!isNegative(condition)) held += 1;
    }
    most = Math.max(most, held);
    matched ||= missed === 0;
  }
  return { row, held: most, misses: matched ? [] : [...misses.values()] };
}

/** A batch is explained by its first entry that is not a resolver event. */
function checkBatch(row: CompiledRow, events: readonly unknown[]): RowCheck {
  let check = checkObject(row, events[0], '[0].');
  for (let index = 1; index < events.length && check.misses.length === 0; index += 1) {
    check = checkObject(row, events[index], `[${index}].`);
  }
  return check;
}

function isBatch(event: unknown): event is readonly unknown[] {
  try {
    return Array.isArray(event) && event.length > 0;
  } catch {
    return false;
  }
}

/** The miss of a condition, with the first missing part of its path. */
function missOf(condition: CompiledCondition, event: unknown, prefix: string): Miss | null {
  const { steps, path } = condition;
  const found = read(event, steps);
  if (found !== UNREADABLE && conditionHolds(condition, found)) return null;
  for (let depth = 0; depth < steps.length; depth += 1) {
    const wantsList = typeof steps[depth] === 'number';
    const container = read(event, steps.slice(0, depth));
    if (wantsList ? !hasEntry(container) : !isObject(container)) {
      const at = headOf(path, depth, prefix);
      return { path: at, expected: wantsList ? 'non-empty array' : 'object', found: foundWord(at, container) };
    }
  }
  return { path: prefix + path, expected: expectedWord(condition), found: foundWord(path, found) };
}

/** The value at the steps, or {@link UNREADABLE}; a value whose type cannot be read is unreadable too. */
function read(event: unknown, steps: readonly (string | number)[]): unknown {
  try {
    const value = valueAt(event, steps);
    if (Array.isArray(value)) void value.length;
    return value;
  } catch {
    return UNREADABLE;
  }
}

function hasEntry(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

/** The first steps of a path; without steps, the event itself. */
function headOf(path: string, depth: number, prefix: string): string {
  if (depth === 0) return prefix === '' ? '(event)' : prefix.slice(0, -1);
  return (
    prefix +
    path
      .split(/(?=\.(?![^["]*"\])|\[)/)
      .slice(0, depth)
      .join('')
  );
}

/** Stands for a value whose getter or proxy throws. */
const UNREADABLE = Symbol('unreadable');

/** Fields that contain only a tag of the service, no data of the caller: shown unchanged. */
const TAG_FIELD = /(?:^|[.\]])[eE]ventSource$/;

const MAX_TAG_CHARACTERS = 64;

/** The expected value of a condition: the string it compares with, or the name of its test. */
function expectedWord({ test, value }: CompiledCondition): string {
  return value ?? test;
}

/** The found value, in a word. Values of a payload are not shown, except tags. */
function foundWord(path: string, found: unknown): string {
  if (found === ABSENT) return 'absent';
  if (found === UNREADABLE) return 'unreadable';
  if (found === null) return 'null';
  if (Array.isArray(found)) return found.length > 0 ? 'array' : 'empty array';
  if (typeof found !== 'string') return typeof found;
  if (found.trim() === '') return 'blank string';
  if (TAG_FIELD.test(path)) return safeText(found, MAX_TAG_CHARACTERS);
  return isUrlDomain(found) ? 'url_domain' : 'string';
}

/** The beginning of a string, without characters that could start or reorder a line of a log. */
function safeText(text: string, characters: number): string {
  return sanitizeLogString([...text.slice(0, 2 * characters)].slice(0, characters).join(''));
}

const OWN_FUNCTION = '(serve it with a separate function)';

/** Shapes that the fixed table does not serve: the nearest row, its name, the place of its tag, and its tags. */
const OUTSIDE: readonly (readonly [near: string, name: string, place: string, ...tags: string[]])[] = [
  ...OPT_IN_SHAPES,
  ['gateway-v2', 'the default test event of the Lambda console, which no service sends', 'key1', 'value1'],
  // https://docs.aws.amazon.com/AmazonS3/latest/userguide/olap-event-context.html
  ['gateway-v1', `an Object Lambda request ${OWN_FUNCTION}`, 'getObjectContext.outputRoute'],
  // https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/lambda-event-structure.html
  ['gateway-v1', `a Lambda@Edge request ${OWN_FUNCTION}`, 'Records[0].cf.config.distributionId'],
  // https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-pipes-batching-concurrency.html
  ['queue', 'the list of a pipe (name an alias in pipe())', '[0].eventSource'],
];

const TAG = /^aws:(?:sqs|dynamodb|kinesis|sns)$/;

/**
 * The nearest row and the likely mistake: the row with the most fulfilled conditions, else the row that a
 * recognized mistake points to, else `null`. Never throws.
 */
export function nearestRow(event: unknown, checks: readonly RowCheck[], extensions: number): Nearest | null {
  const outside = OUTSIDE.find(([, , place, ...tags]) => isThere(event, place, tags));
  let best = checks.reduce((most, check) => (check.held > most.held ? check : most));
  if (best.held === 0) {
    const pointed = checks.find(({ row, misses }) => (outside ? row.kind === outside[0] : mistakeIn(event, misses)));
    if (!pointed) return null;
    best = pointed;
  }
  const { row, misses } = best;
  const hint = outside
    ? `looks like ${outside[1]}; no opt-in row ${extensions > 0 ? 'matches it' : 'is registered'}`
    : mistakeIn(event, misses) || describe(misses);
  return { kind: row.kind, misses, hint };
}

function isThere(event: unknown, place: string, tags: readonly string[]): boolean {
  const found = read(event, parsePath(place));
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
    return `"${path}" is empty: the kind cannot be detected without a record`;
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

/** A key that differs only in case, dashes and underscores. It is as short as the expected key, so it is safe to show. */
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
