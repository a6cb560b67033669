import { parseCron } from '../src/internal/services/events/cron.js';

/** The first times after Sunday, 22 November 2026, 10:00. */
function timesOf(expression: string, count: number): readonly string[] {
  const times: string[] = [];
  let at: Date | undefined = new Date('2026-11-22T10:00:00Z');
  while (times.length < count) {
    at = parseCron(`cron(${expression})`).next(at);
    if (!at) break;
    times.push(at.toISOString().slice(0, 16));
  }
  return times;
}

// The first eight and their meaning: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-cron-expressions.html.
test.each([
  ['at 12:15 every day', '15 12 * * ? *', ['2026-11-22T12:15', '2026-11-23T12:15']],
  ['at 18:00 from Monday to Friday', '0 18 ? * MON-FRI *', ['2026-11-23T18:00', '2026-11-24T18:00']],
  ['at 8:00 on the first of a month', '0 8 1 * ? *', ['2026-12-01T08:00', '2027-01-01T08:00']],
  [
    'every 15 minutes',
    '0/15 * * * ? *',
    ['2026-11-22T10:15', '2026-11-22T10:30', '2026-11-22T10:45', '2026-11-22T11:00'],
  ],
  ['every 10 minutes on weekdays', '0/10 * ? * MON-FRI *', ['2026-11-23T00:00', '2026-11-23T00:10']],
  [
    'every 5 minutes from 8:00 to 17:55 on weekdays',
    '0/5 8-17 ? * MON-FRI *',
    ['2026-11-23T08:00', '2026-11-23T08:05'],
  ],
  ['each tenth minute from the first on', '1/10 * * * ? *', ['2026-11-22T10:01', '2026-11-22T10:11']],
  ['the second Tuesday', '0 9 ? * 3#2 *', ['2026-12-08T09:00', '2027-01-12T09:00']],
  ['the second Tuesday, by name', '0 9 ? * TUE#2 *', ['2026-12-08T09:00']],
  [
    'the last day of the month',
    '0 0 L * ? *',
    ['2026-11-30T00:00', '2026-12-31T00:00', '2027-01-31T00:00', '2027-02-28T00:00'],
  ],
  ['the last day of the week', '0 0 ? * L *', ['2026-11-28T00:00']],
  ['the last Friday', '15 10 ? * 6L 2026-2027', ['2026-11-27T10:15', '2026-12-25T10:15', '2027-01-29T10:15']],
  ['the weekday closest to a Sunday: the Monday after it', '0 0 22W 11 ? *', ['2026-11-23T00:00', '2027-11-22T00:00']],
  ['the weekday closest to a Saturday: the Friday before it', '0 0 28W 11 ? 2026', ['2026-11-27T00:00']],
  ['Sunday is 1', '0 0 ? * 1 *', ['2026-11-29T00:00']],
  ['lists and names of months', '0,30 6 1 JAN,mar ? *', ['2027-01-01T06:00', '2027-01-01T06:30', '2027-03-01T06:00']],
  ['a leap day', '0 0 29 2 ? *', ['2028-02-29T00:00']],
  ['one year', '0 0 1 1 ? 2030', ['2030-01-01T00:00']],
  ['a year that has passed', '0 0 1 1 ? 2020', []],
])('%s: %s', (_name, expression, expected) => {
  expect(timesOf(expression, Math.max(1, expected.length)).slice(0, expected.length || 1)).toEqual(expected);
});

test.each([
  ['0 0 * * ?', 'must have six fields'],
  ['0 0 * * * *', 'exactly one of day-of-month and day-of-week must be ?'],
  ['0 0 ? * ? *', 'exactly one of day-of-month and day-of-week must be ?'],
  ['0 0 1 * MON *', 'exactly one of day-of-month and day-of-week must be ?'],
  ['60 0 1 * ? *', 'minutes must be from 0 to 59 (got 60)'],
  ['0 24 1 * ? *', 'hours must be from 0 to 23 (got 24)'],
  ['0 0 32W * ? *', 'day-of-month must be from 1 to 31 (got 32)'],
  ['0 0 ? * 8 *', 'day-of-week must be from 1 to 7 (got 8)'],
  ['0 L 1 * ? *', 'hours cannot be L'],
  ['0 0 1 ? ? *', 'month cannot be ?'],
  ['0 0 1 ? 1 *', 'exactly one'],
  ['0 0 ? * 3#1,6#3 *', 'day-of-week cannot be 3#1'],
  ['0 0 ? * 3W *', 'day-of-week cannot be 3W'],
  ['0 0 1 * ? @daily', 'year cannot be @DAILY'],
  ['MON 0 1 * ? *', 'minutes cannot be MON'],
])('%s is rejected', (expression, message) => {
  expect(() => parseCron(`cron(${expression})`)).toThrow(message);
});
