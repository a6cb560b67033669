// `npm run bench`: compares Sallyport with its peers, in one run, on the same work. See README.md.
import { writeFileSync } from 'node:fs';
import { bundle, tryBundle } from './bundle.js';
import { coldTable, measureCold } from './cold.js';
import { type Contestant, measureWorkload, type Outcome } from './measure.js';
import { type BenchOptions, parseOptions, USAGE } from './options.js';
import type { Peer } from './peers.js';
import { writeReadme } from './readme.js';
import { formatWorkload, type WorkloadResult } from './report.js';
import { issueToken } from './secured.js';
import { WORKLOAD_TABLE } from './workloads.js';

function readOptions(): BenchOptions {
  try {
    return parseOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n${USAGE}`);
    process.exit(2);
  }
}

async function contestantOf(peer: Peer): Promise<Contestant> {
  return { peer, bundle: await tryBundle(peer.module) };
}

const options = readOptions();
issueToken();
const worker = await bundle('worker.ts');
const contestants = await Promise.all(options.peers.map(contestantOf));
const effort = {
  rounds: options.rounds,
  counted: options.counted,
  ...(options.quick ? { warmUpMs: 400, roundMs: 25 } : { warmUpMs: 1000, roundMs: 100 }),
};

const ABSENT: Outcome = { kind: 'absent' };
const results: WorkloadResult[] = [];
for (const workload of options.workloads) {
  const outcomes = await measureWorkload(workload, contestants, worker.file, effort);
  const rows = contestants.map(({ peer }, index) => ({ peer, outcome: outcomes[index] ?? ABSENT }));
  results.push({ workload, title: WORKLOAD_TABLE[workload].title, rows });
  process.stdout.write(`${formatWorkload(workload, rows)}\n`);
}
const cold = options.cold ? await measureCold(options.rounds) : undefined;
if (cold) process.stdout.write(`${coldTable(cold)}\n`);
if (options.json)
  writeFileSync(options.json, `${JSON.stringify({ rounds: options.rounds, results, cold }, null, 2)}\n`);
if (options.writeReadme) writeReadme({ peers: options.peers, rounds: options.rounds, results, cold });
