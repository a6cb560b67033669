import { exponentOf } from './fit.js';
import type { Growth, Series } from './protocol.js';

/** How far an exponent may be above 1, or above that of the engine for the same work. */
const NOISE = 0.05;
/** The most that resident memory may rise between the thousandth and the hundred-thousandth invocation. */
const MAX_RISE_BYTES = 5 * 1024 * 1024;

/** What grows faster than it may, a sentence each; empty when nothing does. */
export function findExcesses({ dimensions, resident }: Growth): string[] {
  const lines = dimensions.flatMap(({ dimension, series }) =>
    series
      .filter((line) => !line.isEngine && exponentOf(line.points) > allowedOf(line, series) + NOISE)
      .map(({ name, unit, points }) => `${dimension}, ${name}, ${unit}: exponent ${exponentOf(points).toFixed(2)}`),
  );
  const rise = resident.late.residentBytes - resident.early.residentBytes;
  return rise > MAX_RISE_BYTES ? [...lines, `resident memory: ${mebibytes(rise)} more`] : lines;
}

function allowedOf({ unit }: Series, series: readonly Series[]): number {
  const engine = series.find((line) => line.isEngine && line.unit === unit);
  return Math.max(1, engine ? exponentOf(engine.points) : 1);
}

export function mebibytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
