const UNIT_MS: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
  us: 0.001,
  µs: 0.001,
  ns: 0.000_001,
};
const SHORT = /^-?(?:\d+(?:\.\d+)?(?:h|ms|m|s|us|µs|ns))+$/;
const SHORT_PART = /(\d+(?:\.\d+)?)(h|ms|m|s|us|µs|ns)/g;

/** ISO 8601 without years and months, whose length is not fixed. */
const ISO = /^(-?)P(?=[\dT])(?:(\d+)W)?(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;
const ISO_MS = [604_800_000, 86_400_000, 3_600_000, 60_000, 1000];

/** Milliseconds of `1h30m`, `250ms`, `1.5s` or of `PT1H30M`; `undefined` for any other text. */
export function parseDuration(text: string): number | undefined {
  const ms = SHORT.test(text) ? shortMs(text) : isoMs(text);
  return ms !== undefined && Number.isFinite(ms) ? ms : undefined;
}

function shortMs(text: string): number {
  let ms = 0;
  for (const [, amount, unit = ''] of text.matchAll(SHORT_PART)) ms += Number(amount) * (UNIT_MS[unit] ?? 0);
  return text.startsWith('-') ? -ms : ms;
}

function isoMs(text: string): number | undefined {
  const match = ISO.exec(text);
  if (!match) return undefined;
  const ms = ISO_MS.reduce((sum, unit, index) => sum + Number(match[index + 2] ?? 0) * unit, 0);
  return match[1] === '-' ? -ms : ms;
}
