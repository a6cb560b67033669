import { median, pairedRatio, spread } from './statistics.js';

it.each([
  [[3], 3],
  [[9, 1, 5], 5],
  [[4, 1, 3, 2], 2.5],
])('returns the middle of %j', (values, middle) => {
  expect(median(values)).toBe(middle);
});

it('measures the spread of the middle half, as a share of the median', () => {
  expect(spread([1, 8, 10, 12, 99])).toBe(0.4);
});

it('compares round by round, so that a slow round slows both sides', () => {
  expect(pairedRatio([20, 200, 22], [10, 100, 11])).toBe(2);
});
