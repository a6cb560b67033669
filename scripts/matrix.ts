// `npm run test:matrix [-- jest arguments]`: the test suite on every Node that we support. Not part of CI.
import { testOnEachNode } from './node-versions.js';

testOnEachNode(process.argv.slice(2));
