import { total } from './totals.mjs';

const GATES = { status: 0, output: 'holds  types  1.0 s\n\ngates: 8 hold, 0 broken\n' };
const TESTS = { status: 0, output: 'PASS a\n1204 passed, 0 failed\n' };

it('adds tests and gates', () => {
  expect(total(TESTS, GATES)).toEqual({ passed: 1212, failed: 0, reasons: [] });
});

it('counts failures of both', () => {
  const tests = { status: 1, output: '1200 passed, 4 failed\n' };
  const gates = { status: 1, output: 'gates: 7 hold, 1 broken\n' };
  expect(total(tests, gates)).toEqual({ passed: 1207, failed: 5, reasons: [] });
});

it('uses the last totals line, not a line that a test printed', () => {
  expect(total({ status: 0, output: '9 passed, 9 failed\n3 passed, 0 failed\n' }, GATES)).toMatchObject({
    passed: 11,
    failed: 0,
  });
});

it.each([
  ['a run that was cut off', { status: 137, output: 'PASS a\n' }, 'npm test ended with status 137 and without totals'],
  [
    'a run without totals that says it went well',
    { status: 0, output: '' },
    'npm test ended with status 0 and without totals',
  ],
  [
    'a totals line within another line',
    { status: 0, output: 'so: 3 passed, 0 failed\n' },
    'npm test ended with status 0 and without totals',
  ],
  ['a run without tests', { status: 0, output: '0 passed, 0 failed\n' }, 'npm test ran nothing'],
  [
    'a bad status that no failure explains',
    { status: 1, output: '3 passed, 0 failed\n' },
    'npm test ended with status 1',
  ],
])('fails for %s', (_name, tests, reason) => {
  expect(total(tests, GATES)).toMatchObject({ failed: 1, reasons: [reason] });
});

it('fails for gates that did not run', () => {
  expect(total(TESTS, { status: 2, output: 'no gate x' })).toEqual({
    passed: 1204,
    failed: 1,
    reasons: ['npm run check ended with status 2 and without totals'],
  });
});
