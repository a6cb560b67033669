// Runs the contract in a process with two copies of packages (created by `scripts/two-copies.ts`). Every fixture must have the same
// result as with one copy, or a value of another copy is rejected with an error that names the copies.
import { inProcess, loadContract, PROTOCOL, runContract } from '@sallyport/contract';
import type { Logger } from '@sallyport/core';
import { createApp } from '@sallyport/dispatch/app';
import { FIXTURES } from './folder.js';
import { TOOL_FUNCTIONS } from './functions/tools.js';
import { createTypeScriptRuntime } from './runtime.js';
import { validate } from './validate.js';

type Copy = readonly [name: string, version: string, at: Error];

const warnings: string[] = [];
const log: Logger = {
  debug() {},
  info() {},
  error() {},
  warn: (message) => void warnings.push(message),
  isEnabled: () => true,
  with: () => log,
};

/** Counts how often the copies are named: their stacks are read only then. Fixtures load further packages, which are counted too. */
function countNaming(copies: Copy[]): () => number {
  let count = 0;
  const watch = ([, , at]: Copy) => {
    const { stack } = at;
    Object.defineProperty(at, 'stack', {
      get() {
        count += 1;
        return stack;
      },
    });
  };
  copies.forEach(watch);
  const push = copies.push.bind(copies);
  Object.defineProperty(copies, 'push', {
    value: (...added: Copy[]) => {
      added.forEach(watch);
      return push(...added);
    },
  });
  return () => count;
}

const runtime = createTypeScriptRuntime(TOOL_FUNCTIONS);
await runtime.hello({ type: 'hello', protocol: PROTOCOL, fixtures: '' });
// The first container reports packages that are loaded twice, once.
createApp({ log });
createApp({ log });
for (const warning of warnings) process.stdout.write(`${warning}\n`);
const copies = (globalThis as Record<symbol, unknown>)[Symbol.for('sallyport.copies/1')] as Copy[];
const twice = new Set(copies.map(([name]) => name).filter((name, index, names) => names.indexOf(name) < index));
const namesEach = [...twice].every(
  (name) => warnings.filter((text) => text.includes(`copies of ${name}:`)).length === 1,
);
if (twice.size === 0 || !namesEach || warnings.length !== twice.size) {
  process.stdout.write(`FAIL the first container must name once: ${[...twice].join(', ')}\n`);
  process.exitCode = 1;
}

const named = countNaming(copies);
const contract = loadContract(FIXTURES, validate);
const rejected: string[] = [];
let before = 0;
let passed = 0;
await runContract(inProcess(runtime), contract, contract.fixtures, {
  onVerdict({ id, outcome, failures, reason }) {
    const isRejected = named() > before;
    before = named();
    if (outcome === 'passed') passed += 1;
    else if (isRejected) rejected.push(id);
    else {
      process.exitCode = 1;
      const [first] = failures;
      const text = first ? `${first.path}: expected ${first.expected}, found ${first.found}` : String(reason);
      process.stdout.write(`FAIL ${id} ${text}\n`);
    }
  },
});
process.stdout.write(`${passed} equal, ${rejected.length} rejected: ${rejected.join(', ')}\n`);
