/**
 * Judges one stack with every construct, and the examples, `notes` in both stages. The judges run in one process outside jest: the CDK and its engine are thousands of files, and the
 * engine takes seconds of CPU and 300 MB in each process. The whole file costs about 14 s of CPU.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Verdict } from './support/judge.js';
import { findingsIn } from './support/nag-report.js';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'sallyport-examples-'));
let verdict: Verdict;
/** The cdk-nag findings in the examples. */
const warnings: string[] = [];

/** Synthesises an example with cdk-nag, which fails on an error. Returns the path of its template. */
async function synthExample(name: string, stack: string, STAGE = 'production'): Promise<string> {
  const outdir = join(folder, `${name}-${STAGE}`);
  const env = { ...process.env, CDK_OUTDIR: outdir, CDK_VALIDATION: 'false', STAGE };
  const root = new URL('../../../../', import.meta.url);
  await run(process.execPath, ['../../scripts/synth.mjs', 'test/nag.ts'], {
    cwd: new URL(`examples/${name}/`, root),
    env,
  });
  warnings.push(...findingsIn(join(outdir, 'validation-report.json')));
  return join(outdir, `${stack}.template.json`);
}

beforeAll(async () => {
  const templates = await Promise.all([
    synthExample('notes', 'Notes'),
    synthExample('notes', 'Notes', 'preview'),
    synthExample('sandbox', 'Sandbox'),
  ]);
  const script = fileURLToPath(new URL('support/judge.ts', import.meta.url));
  const args = ['--conditions=@sallyport/source', '--import', 'tsx', script, ...templates];
  const { stdout } = await run(process.execPath, args, { maxBuffer: 16_000_000 });
  verdict = JSON.parse(stdout) as Verdict;
});
afterAll(() => rmSync(folder, { recursive: true }));

it('has no finding of the engine that the CDK bundles, our own rules included, except that a preview is removed with its tables, and that a topic invokes an alias', () => {
  expect(verdict.engine).toEqual([
    expect.stringMatching(/^W3694 ExportsWiringTopic.*'AWS::Lambda::Alias'/),
    expect.stringMatching(/^tables_are_retained ServiceJobs/),
    expect.stringMatching(/^tables_are_retained ServiceMcpSessions/),
    expect.stringMatching(/^W3694 ExportsWiringTopic.*'AWS::Lambda::Alias'/),
  ]);
});

it('has rules that find every fault planted for them', () => {
  expect(Object.keys(verdict.rules)).toHaveLength(14);
  const blind = Object.entries(verdict.rules).filter(([, [planted, found]]) => planted === 0 || found < planted);
  expect(blind).toEqual([]);
});

it('has no template that AWS rejects and the engine does not check', () => {
  expect(verdict.own).toEqual([]);
  expect(verdict.missed).toEqual([]);
});

it('grants actions that exist, and uses * only for actions without resources', () => {
  expect(verdict.iam).toEqual([]);
});

it('has no finding of cdk-nag without a reason', () => {
  // The warnings of an MCP server on a REST API, and of a function that becomes durable, are for its owner to decide.
  expect(warnings).toEqual([]);
  expect(verdict.nag).toEqual([
    'Sallyport::McpStagePrefix Estate/Mcp',
    'Sallyport::McpChallengeRenamed Estate/Mcp',
    'Sallyport::DurableReplaces Estate/Exports',
  ]);
});

it('is synthesised to the same bytes twice', () => {
  expect(verdict.unstable).toEqual([]);
});

it('has the same resources under the recommended feature flags', () => {
  expect(verdict.flagged).toEqual([]);
});
