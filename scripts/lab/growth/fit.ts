import type { Point } from './protocol.js';

/**
 * The exponent of growth: the slope of the line of least squares through the logarithms. Only the upper half of the sizes counts,
 * because the fixed cost of a call is small there.
 */
export function exponentOf(points: readonly Point[]): number {
  const upper = points.slice(Math.floor(points.length / 2));
  const xs = upper.map(({ size }) => Math.log(size));
  const ys = upper.map(({ value }) => Math.log(value));
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x0, y0] = [mean(xs), mean(ys)];
  const covariance = xs.reduce((sum, x, index) => sum + (x - x0) * ((ys[index] ?? 0) - y0), 0);
  return covariance / xs.reduce((sum, x) => sum + (x - x0) ** 2, 0);
}
