// `npm run test:runtime [-- jest arguments]`: functions under AWS's own runtime client, on every supported Node, and with so many
// concurrent invocations that a mix-up of their data is likely. `npm test` runs the same tests on a single Node, with fewer
// invocations.
import { testOnEachNode } from './node-versions.js';

testOnEachNode(['tools/lambda-runtime', ...process.argv.slice(2)], { LAMBDA_RUNTIME_INVOCATIONS: '10000' });
