// `npm run identifiers [-- count]`: counts how many of a million random identifiers of each kind the sanitizers change. Not part of CI,
// in which `packages/core/test/identifiers.test.ts` tests fewer.
import { countAltered } from '../packages/core/test/altered.js';
import { IDENTIFIERS, orderNumber } from '../packages/core/test/identifiers.js';

const count = Number(process.argv[2] ?? 1_000_000);
const SEED = 20_261_123;
let failed = false;
for (const [name, make] of Object.entries(IDENTIFIERS)) {
  const altered = countAltered(make, count, SEED);
  failed ||= altered > 0;
  process.stdout.write(`${name.padEnd(28)}${altered}\n`);
}
const orders = countAltered(orderNumber, count, SEED);
process.stdout.write(`${'16 random digits'.padEnd(28)}${orders} (${((100 * orders) / count).toFixed(2)} %)\n`);
process.exitCode = failed || orders > 0.03 * count ? 1 : 0;
