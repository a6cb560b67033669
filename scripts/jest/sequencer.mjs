import { createRequire } from 'node:module';
import { dirname, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
/** A dependency of jest, not of the workspace, so it is loaded from there. */
const BASE = '@jest/test-sequencer';
const require = createRequire(createRequire(createRequire(import.meta.url).resolve('jest')).resolve('@jest/core'));
const { default: Sequencer } = require(BASE);

/**
 * The files that run longest: they compute much, or wait for a browser, DynamoDB Local, workers, the CDK. They start first, so that
 * no worker of jest is alone with one of them at the end. Without measured times, as in a new clone, jest orders files by their size.
 */
export const LONG = [
  'packages/secure/test/jwt-differential.test.ts',
  'packages/constructs/test/permissions.test.ts',
  'packages/create-sallyport/test/updates.test.ts',
  'packages/create-sallyport/test/judges.test.ts',
  'packages/create-sallyport/test/add.test.ts',
  'packages/local/test/console-page.test.ts',
  'packages/constructs/test/updates.test.ts',
  'tools/contract-runtime/test/bundled.test.ts',
  'packages/ratelimit/test/duels.test.ts',
  'packages/migrate/test/apply.test.ts',
  'packages/constructs/test/judges/judges.test.ts',
  'packages/cli/test/redrive-failures.test.ts',
  'packages/local/test/failure-places.test.ts',
  'packages/triggers/test/mutations.test.ts',
  'packages/mcp/test/outages.test.ts',
  'scripts/docs/tutorial.test.ts',
  'packages/microvm/test/conformance.test.ts',
  'packages/objectstore/test/limits.test.ts',
  'packages/mcp/test/faults.test.ts',
  'packages/jobs/test/processes.test.ts',
  'packages/jobs/test/outages.test.ts',
  'packages/mcp/test/killed.test.ts',
  'packages/bundle/test/bundlers.test.ts',
];

/** Jest's order, after the files of {@link LONG}. */
export default class LongFilesFirst extends Sequencer {
  async sort(tests) {
    const rank = ({ path }) => {
      const place = LONG.indexOf(relative(ROOT, path).split(sep).join('/'));
      return place === -1 ? LONG.length : place;
    };
    const sorted = await super.sort(tests);
    // Sorting is stable: among the other files, failures of the last run are still first.
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}
