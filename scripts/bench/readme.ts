import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { HERE } from './bundle.js';
import { type ColdRow, coldTable } from './cold.js';
import type { Peer } from './peers.js';
import { allocationLine, markdownTable, type WorkloadResult } from './report.js';

const BEGIN = '<!-- begin: written by npm run bench -- --write-readme -->';
const END = '<!-- end -->';

export interface Measured {
  readonly peers: readonly Peer[];
  readonly rounds: number;
  readonly results: readonly WorkloadResult[];
  readonly cold: readonly ColdRow[];
}

/** Replaces the tables of the README, between two comments, with what was just measured. */
export function writeReadme(measured: Measured): void {
  const file = join(HERE, 'README.md');
  const text = readFileSync(file, 'utf8');
  const [before, rest] = text.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error('README.md has no comments around its tables');
  writeFileSync(file, `${before}${BEGIN}\n\n${formatTables(measured)}\n\n${END}${after}`);
}

function formatTables({ peers, rounds, results, cold }: Measured): string {
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.versions.node}, ${rounds} rounds`;
  const routed = results.find(({ workload }) => workload === 'get-v2');
  return [
    `${new Date().toISOString().slice(0, 10)}, ${machine}.`,
    '### CPU time, as ratio to `bare`',
    markdownTable(peers, results),
    ...(routed ? ['### KiB allocated, routed `GET`', allocationLine(routed.rows)] : []),
    ...(cold.length > 0 ? ['### Cold start', coldTable(cold)] : []),
  ].join('\n\n');
}
