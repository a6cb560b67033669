/** The gate of a bundle without parts answers every request as the gate of the full bundle. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OPTIONAL_PARTS, type OptionalPart } from '../src/index.js';
import { bundle, FUNCTIONS } from './support/bundles.js';

const PROGRAM = fileURLToPath(new URL('./programs/answer.mjs', import.meta.url));
const ENTRY = join(FUNCTIONS, 'random-app.ts');
const conditionsOf = (parts: readonly OptionalPart[]) => [
  '@sallyport/source',
  ...parts.map((part) => `sallyport-no-${part}`),
];
/** The requests of the test come through these two doors. */
const LEFT_OUT = OPTIONAL_PARTS.filter((part) => part !== 'gateway-v2' && part !== 'function-url');

interface Outcome {
  readonly app: number;
  readonly request: string;
  readonly outcome: string;
  readonly lines: readonly string[];
}

/** The outcomes of the requests in a separate process. */
function outcomesOf(parts: readonly OptionalPart[]): readonly Outcome[] {
  const { file } = bundle(ENTRY, { conditions: conditionsOf(parts) });
  const settings = { encoding: 'utf8', env: {}, maxBuffer: 64 * 2 ** 20 } as const;
  const { stdout, stderr } = spawnSync(process.execPath, [PROGRAM, file, '100', '100'], settings);
  expect(stderr.slice(-300)).toBe('');
  return JSON.parse(stdout) as readonly Outcome[];
}

it('10,000 requests to 100 random applications have equal bytes and equal log lines', () => {
  const plain = outcomesOf([]);
  const lean = outcomesOf(LEFT_OUT);
  expect([plain.length, lean.length]).toEqual([10_000, 10_000]);
  const differences = plain.filter((one, index) => JSON.stringify(one) !== JSON.stringify(lean[index]));
  expect(differences.slice(0, 3)).toEqual([]);
  // The requests reach every outcome of the gate.
  const statuses = new Set(plain.map(({ outcome }) => /^\{"statusCode":(\d+)/.exec(outcome)?.[1] ?? outcome));
  expect([...statuses].sort()).toEqual(['200', '201', '204', '400', '401', '403', '404', '405', '413', '500', '503']);
  expect(plain.some(({ lines }) => lines.length > 0)).toBe(true);
});
