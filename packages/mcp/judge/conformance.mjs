// Runs the conformance suites against every configuration: `npm run mcp:conformance [-- --only fresh,three]`.
// Prints scenarios and checks of each run; exits with 1 if a target is missed. A list of expected failures is not supported.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { countIdleGets } from './idle.mjs';
import { runInspector } from './inspector.mjs';
import { startJudged } from './serve.mjs';

const packageRoot = dirname(dirname(fileURLToPath(import.meta.url)));

const configurations = [
  { name: 'fresh engine a request', options: { instances: 1, fresh: true } },
  { name: 'three processes', options: { instances: 3, fresh: true } },
  { name: 'three processes, buffered', options: { instances: 3, fresh: true, buffered: true } },
];

/** `wanted` describes the scored part and the required number of passes. */
const suites = [
  {
    name: '0.1.16 --suite all',
    command: ['@modelcontextprotocol/conformance', '--suite', 'all'],
    target: ({ scenarios, passed }) => scenarios === 32 && passed === 32,
    wanted: '32/32',
  },
  {
    name: '0.2.0-alpha.12 --requirements 2025-11-25',
    command: ['conformance-next', '--requirements', '2025-11-25'],
    target: ({ scenarios, passed, checks }) => scenarios === 33 && passed === 33 && checks >= 84,
    wanted: '33/33, 84 checks',
  },
  {
    name: '0.2.0-alpha.12 --requirements 2026-07-28',
    command: ['conformance-next', '--requirements', '2026-07-28'],
    target: ({ scenarios, passed }, { buffered }) => scenarios === 50 && passed >= (buffered ? 49 : 50),
    wanted: '37/37, 3 pending and 10 of tasks (buffered: one less)',
  },
];

const { values } = parseArgs({ options: { only: { type: 'string' }, verbose: { type: 'boolean', default: false } } });
const out = mkdtempSync(join(tmpdir(), 'mcp-conformance-'));
let missed = 0;
try {
  for (const configuration of configurations) {
    if (values.only && !configuration.name.includes(values.only)) continue;
    await judge(configuration);
  }
  const scripts = { authorization: 'authorization.ts', 'clients of other makers': 'third-party.ts' };
  for (const [name, script] of Object.entries(scripts)) {
    if (!values.only || name.includes(values.only)) await runScript(script);
  }
} finally {
  rmSync(out, { recursive: true, force: true });
}
process.exit(missed > 0 ? 1 : 0);

async function judge({ name, options }) {
  const judged = await startJudged(options);
  process.stdout.write(`\n${name}\n`);
  try {
    for (const suite of suites)
      report(suite, options, await runSuite(suite, judged.url, join(out, `${name} ${suite.name}`)));
    line('inspector CLI', await runInspector(judged.url));
    for (const { client, gets } of await countIdleGets(judged)) {
      line(`idle ${client}, 10 s`, { ok: gets === 1, text: `${gets} GET` });
    }
    line('store used after the response', {
      ok: judged.violations.length === 0,
      text: `${judged.violations.length} times`,
    });
    for (const violation of judged.violations.slice(0, 5)) process.stdout.write(`      ${violation}\n`);
  } finally {
    await judged.stop();
  }
}

/** Judges that print their own lines: an authorization server of our parts; clients of other makers through the four doors. */
async function runScript(script) {
  const args = ['--conditions=@sallyport/source', '--import', 'tsx', join(packageRoot, 'judge', script)];
  if ((await run(args, 'inherit')) !== 0) missed += 1;
}

function report(suite, options, result) {
  const text = `scenarios ${result.passed}/${result.scenarios}, checks ${result.checks} passed, ${result.failures.length} failed, ${result.warnings.length} warnings (wanted ${suite.wanted})`;
  line(suite.name, { ok: suite.target(result, options) && result.failures.length === 0, text });
  const listed = values.verbose ? [...result.failures, ...result.warnings] : result.failures;
  for (const { scenario, check } of listed)
    process.stdout.write(`      ${scenario} ${check.id}: ${check.errorMessage}\n`);
}

function line(what, { ok, text }) {
  if (!ok) missed += 1;
  process.stdout.write(`  ${ok ? 'ok    ' : 'MISSED'} ${what}: ${text}\n`);
}

async function runSuite({ command }, url, directory) {
  const [suite, ...args] = command;
  const main = join(packageRoot, 'node_modules', suite, 'dist', 'index.js');
  await run([
    '--import',
    join(packageRoot, 'judge', 'fs-shim.mjs'),
    main,
    'server',
    '--url',
    url,
    ...args,
    '-o',
    directory,
  ]);
  return readResults(directory);
}

/** The suites' exit codes also count parts that are not scored. Therefore the result comes from the checks on disk. */
function run(args, stdout = 'ignore') {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: packageRoot, stdio: ['ignore', stdout, 'inherit'] });
    child.once('error', reject);
    child.once('exit', resolve);
  });
}

function readResults(directory) {
  const result = { scenarios: 0, passed: 0, checks: 0, failures: [], warnings: [] };
  for (const entry of readdirSync(directory)) {
    const scenario = /^server-(.*)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(entry)?.[1];
    if (scenario === undefined) continue;
    const checks = JSON.parse(readFileSync(join(directory, entry, 'checks.json'), 'utf8'));
    const failures = checks.filter(({ status }) => status === 'FAILURE');
    const passes = checks.filter(({ status }) => status === 'SUCCESS');
    result.scenarios += 1;
    result.checks += passes.length;
    // A scenario can end without any check. It counts as passed only if all its checks are marked as not applicable.
    if (failures.length === 0 && checks.length > 0) result.passed += 1;
    for (const check of failures) result.failures.push({ scenario, check });
    for (const check of checks) if (check.status === 'WARNING') result.warnings.push({ scenario, check });
  }
  return result;
}
