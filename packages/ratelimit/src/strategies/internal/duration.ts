const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const;

/** `1d`, `2h`, `1m`, `90s`; a length that is no whole number of seconds in `ms`. */
export function durationLabel(ms: number): string {
  for (const [unit, length] of UNITS) {
    if (ms % length === 0) return `${ms / length}${unit}`;
  }
  return `${ms}ms`;
}
