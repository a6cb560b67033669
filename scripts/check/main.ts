// `npm run check [-- gate …]`: runs the named gates of the table, or all gates.
import type { Gate } from './gate.js';
import { anatomyGate } from './gates/anatomy.js';
import { apiGate } from './gates/api.js';
import { claimsGate } from './gates/claims.js';
import { copiesGate } from './gates/copies.js';
import { docsGate } from './gates/docs.js';
import { duplicatesGate } from './gates/duplicates.js';
import { generatedGate } from './gates/generated.js';
import { graphGate } from './gates/graph.js';
import { importTimeGate } from './gates/import-time.js';
import { lintGate } from './gates/lint.js';
import { packagingGate } from './gates/packaging.js';
import { pagesGate } from './gates/pages.js';
import { pathGate } from './gates/path.js';
import { readmesGate } from './gates/readmes.js';
import { treeGate } from './gates/tree.js';
import { triggersGate } from './gates/triggers.js';
import { buildGate, typesGate } from './gates/types.js';
import { unusedGate } from './gates/unused.js';
import { wordsGate } from './gates/words.js';
import { runGates } from './runner.js';

const GATES: readonly Gate[] = [
  buildGate,
  lintGate,
  treeGate,
  wordsGate,
  claimsGate,
  triggersGate,
  graphGate,
  apiGate,
  anatomyGate,
  duplicatesGate,
  copiesGate,
  pathGate,
  docsGate,
  importTimeGate,
  typesGate,
  unusedGate,
  readmesGate,
  pagesGate,
  packagingGate,
  generatedGate,
];

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !GATES.some((gate) => gate.name === name));
if (unknown.length > 0) {
  process.stderr.write(`no gate ${unknown.join(', ')}; there are:\n`);
  for (const gate of GATES) process.stderr.write(`  ${gate.name.padEnd(12)}${gate.demands}\n`);
  process.exit(2);
}

const chosen = wanted.length === 0 ? GATES : GATES.filter((gate) => wanted.includes(gate.name));
const results = await runGates(chosen, {
  concurrency: 2,
  onResult({ name, findings, notes, seconds }) {
    process.stdout.write(`${findings.length === 0 ? 'holds ' : 'BROKEN'} ${name.padEnd(12)} ${seconds.toFixed(1)} s\n`);
    for (const note of notes) process.stdout.write(`       ${note}\n`);
  },
});

const broken = results.filter((result) => result.findings.length > 0);
for (const { name, findings } of broken) {
  process.stdout.write(`\n${name}: ${chosen.find((gate) => gate.name === name)?.demands}\n`);
  for (const finding of findings) process.stdout.write(`  ${finding.replaceAll('\n', '\n  ')}\n`);
}
// CI reads this line (scripts/totals.mjs).
process.stdout.write(`\ngates: ${results.length - broken.length} hold, ${broken.length} broken\n`);
process.exitCode = broken.length === 0 ? 0 : 1;
