import { exponentOf } from './fit.js';
import type { Growth, Series } from './protocol.js';

/** The tolerance of an exponent above 1, or above the engine's exponent for the same work. */
const NOISE = 0.05;
/** The maximum rise of resident memory between the thousandth and the hundred-thousandth invocation. */
const MAX_RISE_BYTES = 5 * 1024 * 1024;

/** The lines that grow too fast, a sentence each; empty if there are no such lines. */
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
