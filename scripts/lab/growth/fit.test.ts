import { exponentOf } from './fit.js';

const SIZES = [1, 10, 100, 1000, 10_000];

it.each([
  ['does not grow', (_size: number) => 7, 0],
  ['grows with the size', (size: number) => 3 * size, 1],
  ['grows with its square', (size: number) => size * size, 2],
])('finds the exponent of a cost that %s', (_name, cost, exponent) => {
  expect(exponentOf(SIZES.map((size) => ({ size, value: cost(size) })))).toBeCloseTo(exponent, 6);
});

it('does not count what is paid once, at the lower sizes', () => {
  expect(exponentOf(SIZES.map((size) => ({ size, value: 50 + size })))).toBeCloseTo(0.9, 1);
});
