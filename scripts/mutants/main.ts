// `npm run mutants`: changes sources in small ways and reports the changes that no test detects.
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Copy } from './copy.js';
import { type FileResult, runJest } from './jest-run.js';
import { MUTANT_VARIABLE } from './mutate.js';
import { ALSO, type Equivalent, SHARE, STRICT, STRICT_SHARE } from './policy.js';
import { type Sampled, sampleOf } from './sample.js';

const HELP = `usage: npm run mutants -- [--package <name>]... [--count <n>] [--seed <n>] [--list]

Changes the sources of a package at random places, one change at a time, in a copy of the workspace, and runs the tests that
reach the place. A change that no test notices is reported with its place.

  --package  the folder below packages/; repeatable. Default: all packages
  --count    changes for each package. Default 40
  --seed     chooses the places: the same seed chooses the same places. Default 1
  --list     prints the sample and ends
`;

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
/** The maximum time of the tests of one mutant, measured without the mutant, possibly on a busy machine. */
const BUDGET_MS = 400_000;
const PARALLEL = 2;

type Verdict = 'killed' | 'timeout' | 'survived' | 'not reached' | 'equivalent';
interface Judged {
  readonly mutant: Sampled;
  readonly verdict: Verdict;
}

const { values } = parseArgs({
  options: {
    package: { type: 'string', multiple: true },
    count: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) process.stdout.write(HELP);
else process.exitCode = await main();

async function main(): Promise<number> {
  const packages = values.package ?? readdirSync(join(root, 'packages')).sort();
  const count = Number(values.count);
  const seed = Number(values.seed);
  const unknown = packages.find((name) => !existsSync(join(root, 'packages', name, 'src')));
  if (unknown !== undefined || !Number.isInteger(count) || count < 1 || !Number.isInteger(seed)) {
    process.stderr.write(unknown === undefined ? HELP : `no package ${unknown}\n`);
    return 2;
  }
  const samples = new Map(packages.map((name) => [name, sampleOf(root, name, count, seed)]));
  if (values.list) {
    for (const mutant of [...samples.values()].flat()) process.stdout.write(`${lineOf(mutant)}\n`);
    return 0;
  }
  const copy = new Copy(root);
  const servers = await shareServers();
  try {
    copy.instrument([...samples.values()].flat());
    let failed = 0;
    for (const [name, sample] of samples) failed += (await judgePackage(copy, name, sample)) ? 0 : 1;
    process.stdout.write(`${samples.size - failed} passed, ${failed} failed\n`);
    return failed === 0 ? 0 : 1;
  } finally {
    await servers.stop();
    copy.remove();
  }
}

/** One DynamoDB Local for all runs. */
async function shareServers(): Promise<{ stop(): Promise<void> }> {
  process.env.SALLYPORT_SERVERS_RUN = `${process.pid}:${join(tmpdir(), `sallyport-${randomUUID()}`)}`;
  const { default: tearDown } = (await import('../../tools/dynamodb-local/jest/global-teardown.mjs')) as {
    default: () => Promise<void>;
  };
  return { stop: tearDown };
}

async function judgePackage(copy: Copy, name: string, sample: readonly Sampled[]): Promise<boolean> {
  const reach = await dryRun(copy, name);
  const equivalent = JSON.parse(readFileSync(new URL('equivalent.json', import.meta.url), 'utf8')) as Equivalent[];
  const judged: Judged[] = [];
  const waiting = [...sample];
  const work = async () => {
    for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
      const verdict = isEquivalent(mutant, equivalent) ? 'equivalent' : await judge(copy, mutant, reach);
      judged.push({ mutant, verdict });
      if (verdict === 'survived' || verdict === 'not reached')
        process.stdout.write(`${verdict.padEnd(11)} ${lineOf(mutant)}\n`);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  return summarize(name, judged);
}

interface Reach {
  /** Test files by mutant, the fastest of the own package first. */
  readonly filesOf: ReadonlyMap<string, readonly FileResult[]>;
}

/** Runs the tests without a mutant, and records the mutants that each test reaches. A file that fails is left out. */
async function dryRun(copy: Copy, name: string): Promise<Reach> {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-reached-'));
  const folders = [`${name}/test/`, ...(ALSO[name] ?? [])].map((path) => `packages/${path}`);
  const tests = [...folders, 'tools/contract-runtime/test/'];
  const { files } = await runJest({
    ...{ root: copy.root, tests, timeoutMs: 1_800_000, bail: false },
    env: { SALLYPORT_REACHED: directory, [MUTANT_VARIABLE]: '' },
  });
  if (!files.some(({ passed }) => passed))
    throw new Error(`the tests of ${name} do not run; SALLYPORT_MUTANTS_LOG=1 shows why`);
  const passed = new Map(files.filter((file) => file.passed).map((file) => [file.file, file]));
  for (const { file } of files.filter((each) => !each.passed))
    process.stdout.write(`left out    ${file.slice(copy.root.length + 1)}: fails without a mutant\n`);
  const filesOf = new Map<string, FileResult[]>();
  for (const source of ['files', 'children']) {
    const path = join(directory, source);
    if (!existsSync(path)) continue;
    for (const line of new Set(readFileSync(path, 'utf8').split('\n'))) {
      const [file = '', id = ''] = line.split('\t');
      const result = passed.get(file);
      const known = filesOf.get(id) ?? [];
      if (result && !known.includes(result)) filesOf.set(id, [...known, result]);
    }
  }
  rmSync(directory, { recursive: true, force: true });
  const own = join(copy.root, 'packages', name);
  for (const known of filesOf.values())
    known.sort((a, b) => Number(b.file.startsWith(own)) - Number(a.file.startsWith(own)) || a.ms - b.ms);
  return { filesOf };
}

async function judge(copy: Copy, { id }: Sampled, { filesOf }: Reach): Promise<Verdict> {
  const files = withinBudget(filesOf.get(id) ?? []);
  if (files.length === 0) return 'not reached';
  const usualMs = files.reduce((sum, { ms }) => sum + ms, 0);
  const { outcome } = await runJest({
    ...{ root: copy.root, tests: files.map(({ file }) => file), timeoutMs: 60_000 + usualMs * 4, bail: true },
    env: { [MUTANT_VARIABLE]: id },
  });
  return outcome === 'passed' ? 'survived' : outcome;
}

function withinBudget(files: readonly FileResult[]): readonly FileResult[] {
  let sum = 0;
  return files.filter(({ ms }, index) => {
    sum += ms;
    return index === 0 || sum <= BUDGET_MS;
  });
}

function isEquivalent(mutant: Sampled, known: readonly Equivalent[]): boolean {
  return known.some((one) =>
    (['file', 'operator', 'source', 'replacement'] as const).every((member) => one[member] === mutant[member]),
  );
}

function summarize(name: string, judged: readonly Judged[]): boolean {
  const countOf = (...verdicts: Verdict[]) => judged.filter(({ verdict }) => verdicts.includes(verdict)).length;
  const killed = countOf('killed', 'timeout');
  const total = judged.length - countOf('equivalent');
  const wanted = STRICT.has(name) ? STRICT_SHARE : SHARE;
  const share = total === 0 ? 1 : killed / total;
  const percent = (value: number) => `${(value * 100).toFixed(1)} %`;
  process.stdout.write(
    `${name}: ${killed} of ${total} killed (${percent(share)}, at least ${percent(wanted)}), ${countOf('equivalent')} equivalent\n`,
  );
  return share >= wanted;
}

function lineOf({ file, line, operator, source, replacement }: Sampled): string {
  return `${file}:${line} ${operator}: ${source} -> ${replacement === '' ? '(removed)' : replacement}`;
}
