// The options with which Node runs our TypeScript scripts, and the build of all published packages, which `npm run build` and the gate `build` share.
import { join } from 'node:path';
import { root } from './setup.mjs';

/** @typedef {[command: string, args: string[]]} Command */

/**
 * A program of the workspace's tools.
 *
 * @param {string} name
 * @returns {string} an absolute path
 */
export const bin = (name) => join(root, 'node_modules', '.bin', name);

/**
 * The command of one of our TypeScript scripts, run on the sources of the workspace's packages.
 *
 * @param {string} file from the root
 * @param {...string} args
 * @returns {Command}
 */
export const script = (file, ...args) => [
  process.execPath,
  ['--conditions=@sallyport/source', '--import', 'tsx', file, ...args],
];

/**
 * The commands of the build, in their order.
 *
 * @type {readonly Command[]}
 */
export const build = [
  [bin('tsc'), ['-b', '--pretty', 'false']],
  script('packages/local/scripts/build-console.ts'),
  script('packages/local/scripts/copy-client.ts'),
];
