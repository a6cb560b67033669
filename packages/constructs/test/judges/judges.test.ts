/**
 * Judges of one stack with every construct. They run in one process outside jest: the CDK and its engine are thousands of files, and the
 * engine takes seconds of CPU and 300 MB in each process. The whole file costs about 10 s of CPU.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Verdict } from './support/judge.js';

let verdict: Verdict;

beforeAll(async () => {
  const script = fileURLToPath(new URL('support/judge.ts', import.meta.url));
  const args = ['--conditions=@sallyport/source', '--import', 'tsx', script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 16_000_000 });
  verdict = JSON.parse(stdout) as Verdict;
}, 120_000);

it('has no finding of the engine that the CDK bundles, our own rules included', () => {
  expect(verdict.engine).toEqual([]);
});

it('has rules that find every fault planted for them', () => {
  expect(Object.keys(verdict.rules)).toHaveLength(14);
  const blind = Object.entries(verdict.rules).filter(([, [planted, found]]) => planted === 0 || found < planted);
  expect(blind).toEqual([]);
});

it('has nothing that the engine does not look for and AWS refuses', () => {
  expect(verdict.own).toEqual([]);
  expect(verdict.missed).toEqual([]);
});

it('grants actions that exist, and on * only those that have no resources', () => {
  expect(verdict.iam).toEqual([]);
});

it('has no finding of cdk-nag without a reason', () => {
  // The two warnings of an MCP server on a REST API are for its owner to decide.
  expect(verdict.nag).toEqual(['Sallyport::McpStagePrefix Estate/Mcp', 'Sallyport::McpChallengeRenamed Estate/Mcp']);
});

it('is synthesised to the same bytes twice', () => {
  expect(verdict.unstable).toEqual([]);
});

it('has the same resources under the recommended feature flags', () => {
  expect(verdict.flagged).toEqual([]);
});
