import { Cron } from 'croner';

const MONTHS = 'JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC';
const DAYS = 'SUN|MON|TUE|WED|THU|FRI|SAT';

interface Field {
  readonly name: string;
  readonly lowest: number;
  readonly highest: number;
  /** Names of values. */
  readonly names?: string;
  /** The syntax that the field allows in addition to lists of values and ranges. */
  readonly special?: RegExp;
}

/** The fields in their order. */
const FIELDS: readonly Field[] = [
  { name: 'minutes', lowest: 0, highest: 59 },
  { name: 'hours', lowest: 0, highest: 23 },
  { name: 'day-of-month', lowest: 1, highest: 31, special: /^(?:\?|L|\d{1,2}W)$/ },
  { name: 'month', lowest: 1, highest: 12, names: MONTHS },
  {
    name: 'day-of-week',
    lowest: 1,
    highest: 7,
    names: DAYS,
    special: new RegExp(`^(?:\\?|(?:[1-7]|${DAYS})?L|(?:[1-7]|${DAYS})#[1-5])$`),
  },
  { name: 'year', lowest: 1970, highest: 2199 },
];

/** An error in an expression. */
export class CronError extends Error {}

/** The times of a `cron(…)` expression. */
export interface CronTimes {
  /** The next time after the given time; `undefined` if no time follows. */
  next(after: Date): Date | undefined;
}

/**
 * Parses a `cron(…)` expression of EventBridge: six fields, UTC. Days of the week begin with 1, Sunday; exactly one of the two day fields
 * is `?`.
 *
 * @throws CronError for an expression that EventBridge rejects
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-cron-expressions.html
 */
export function parseCron(expression: string): CronTimes {
  const [, inner = ''] = /^cron\((.*)\)$/.exec(expression.trim()) ?? [];
  const fields = inner.trim().toUpperCase().split(/\s+/);
  if (fields.length !== FIELDS.length) {
    throw new CronError('cron(…) must have six fields: minutes hours day-of-month month day-of-week year');
  }
  const [dayOfMonth, dayOfWeek] = [fields[2], fields[4]];
  if ((dayOfMonth === '?') === (dayOfWeek === '?')) {
    throw new CronError('exactly one of day-of-month and day-of-week must be ?');
  }
  const pattern = FIELDS.map((field, index) => translate(field, fields[index] ?? '')).join(' ');
  const cron = parse(`0 ${pattern}`);
  return { next: (after) => cron.nextRun(after) ?? undefined };
}

/** Converts a field to the syntax of the library. */
function translate(field: Field, text: string): string {
  const { name, highest, names = '\\d+', special } = field;
  assertBounds(field, text);
  if (special?.test(text)) {
    if (text === '?') return '*';
    // The last day of the week is Saturday.
    return name === 'day-of-week' && text === 'L' ? String(highest) : text;
  }
  const value = `(?:\\d+|${names})`;
  const part = new RegExp(`^(?:\\*|${value}(?:-${value})?)(?:/\\d+)?$`);
  const parts = text.split(',');
  const wrong = parts.find((one) => !part.test(one));
  if (wrong !== undefined) throw new CronError(`${name} cannot be ${wrong}`);
  // From a value to the highest value, in steps.
  return parts.map((one) => one.replace(/^(\w+)\//, `$1-${highest}/`)).join(',');
}

/** The number after a slash or # is not a value of the field. */
function assertBounds({ name, lowest, highest }: Field, text: string): void {
  const numbers = (text.replace(/[/#]\d+/g, '').match(/\d+/g) ?? []).map(Number);
  const wrong = numbers.find((number) => number < lowest || number > highest);
  if (wrong !== undefined) throw new CronError(`${name} must be from ${lowest} to ${highest} (got ${wrong})`);
}

function parse(pattern: string): Cron {
  try {
    return new Cron(pattern, { paused: true, timezone: 'UTC', alternativeWeekdays: true });
  } catch (error) {
    throw new CronError((error as Error).message.replace(/^CronPattern: /, ''));
  }
}
