/** A source of random numbers with a seed (mulberry32). */
export type Random = () => number;

/** The same numbers for the same seed, each from 0 and below 2^32. */
export function createRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

function hex(random: Random, length: number): string {
  let text = '';
  while (text.length < length) text += (random() + 0x1_0000_0000).toString(16).slice(1);
  return text.slice(0, length);
}

function decimals(random: Random, length: number): string {
  let text = '';
  while (text.length < length) text += String((random() % 1_000_000_000) + 1_000_000_000).slice(1);
  return text.slice(0, length);
}

function word(random: Random, length: number): string {
  let text = '';
  while (text.length < length) text += (random() % 36).toString(36);
  return text;
}

function uuid(random: Random, version: string): string {
  const digits = hex(random, 32);
  const variant = '89ab'[random() % 4];
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${version}${digits.slice(13, 16)}-${variant}${digits.slice(17, 20)}-${digits.slice(20)}`;
}

/** Milliseconds from 2020-01-01 and before 2030-01-01, UTC. */
function milliseconds(random: Random): number {
  const share = (random() * 0x20_0000 + (random() >>> 11)) / 2 ** 53;
  return 1_577_836_800_000 + Math.floor(share * 315_619_200_000);
}

/** RFC 9562 section 5.7: 48 bits of time, then random bits. */
function uuidV7(random: Random): string {
  const time = milliseconds(random).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${uuid(random, '7').slice(15)}`;
}

const xrayTrace = (random: Random) => `1-${hex(random, 8)}-${hex(random, 24)}`;

function stackFrame(random: Random): string {
  const version = () => `${random() % 20}.${random() % 30}.${random() % 10}`;
  const folder = `next@${version()}_@babel+core@${version()}_react@${version()}-rc.${word(random, 8)}_${word(random, 26)}`;
  const file = ['index', 'token', 'jwt', 'cookie', hex(random, 16), decimals(random, 16)][random() % 6];
  return `at handler (/var/task/node_modules/.pnpm/${folder}/node_modules/next/dist/${file}.js:${random() % 900}:${random() % 90})`;
}

/** Identifiers that an operator searches for: not card numbers. */
export const IDENTIFIERS: Readonly<Record<string, (random: Random) => string | number>> = {
  'UUID v4': (random) => uuid(random, '4'),
  'UUID v4 in capitals': (random) => uuid(random, '4').toUpperCase(),
  'UUID v7': uuidV7,
  'UUID without dashes': (random) => hex(random, 32),
  'message id in a sentence': (random) => `message ${uuid(random, '4')} failed`,
  // W3C Trace Context section 3.2: https://www.w3.org/TR/trace-context/#traceparent-header
  'trace id': (random) => hex(random, 32),
  traceparent: (random) => `00-${hex(random, 32)}-${hex(random, 16)}-01`,
  // AWS X-Ray, "Tracing header": https://docs.aws.amazon.com/xray/latest/devguide/xray-concepts.html#xray-concepts-tracingheader
  'X-Ray trace id': xrayTrace,
  'X-Ray header': (random) => `Root=${xrayTrace(random)};Parent=${hex(random, 16)};Sampled=1`,
  ETag: (random) => `"${hex(random, 32)}"`,
  'ETag of parts': (random) => `"${hex(random, 32)}-${(random() % 10_000) + 1}"`,
  'milliseconds as text': (random) => String(milliseconds(random)),
  milliseconds,
  'microseconds as text': (random) => `${milliseconds(random)}${decimals(random, 3)}`,
  microseconds: (random) => milliseconds(random) * 1000 + (random() % 1000),
  'ISO date': (random) => new Date(milliseconds(random)).toISOString(),
  'git SHA-1': (random) => hex(random, 40),
  'SHA-256': (random) => hex(random, 64),
  // "$LATEST" or a version, then the environment's id: AWS Lambda, "Viewing CloudWatch logs for Lambda functions".
  'log stream': (random) =>
    `${new Date(milliseconds(random)).toISOString().slice(0, 10).replaceAll('-', '/')}/[$LATEST]${hex(random, 32)}`,
  'stack frame': stackFrame,
};

/** Order numbers of 16 random digits, not distinguishable from card numbers. */
export const orderNumber = (random: Random) => decimals(random, 16);
