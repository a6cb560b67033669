// `npm run size [-- --why <entry>]`: bundle bytes and first response of functions that use one package each.
import { parseArgs } from 'node:util';
import { CATALOGUE, type CatalogueEntry } from '@sallyport/triggers/catalogue';
import { type Bundle, bundle, bundleExport, bundlePart, splitBundle, tryBundle } from '../bundle.js';
import { type Starts, startInTurn } from '../cold/in-turn.js';
import { kilobytes, number } from '../report.js';
import { median } from '../statistics.js';
import { BUDGETS, type Budget, PART_BUDGETS, SPLIT_BUDGETS } from './budgets.js';

const ROUNDS = 7;

const HELP = `npm run size [-- --why <entry>]

Bundles functions that use one package each, starts each of them ${ROUNDS} times, and compares sizes with the budgets of budgets.ts.
Exits with 1 if a bundle is over its budget or answers wrongly.

  --why <entry>  prints the source files of one bundle, the heaviest first
  --help         prints this text

Entries: ${BUDGETS.map(({ name }) => name).join(', ')}
`;

const { values } = parseArgs({ options: { why: { type: 'string' }, help: { type: 'boolean' } } });

/** The source files of one bundle, the heaviest first. */
async function explain(name: string): Promise<void> {
  const { entry = name, leftOut } = BUDGETS.find((budget) => budget.name === name) ?? {};
  const { parts } = await bundle(`size/entries/${entry}.ts`, leftOut);
  const sorted = [...parts].sort(([, a], [, b]) => b - a);
  for (const [path, bytes] of sorted) {
    process.stdout.write(`${String(bytes).padStart(7)}  ${path.replace(/^(?:\.\.\/)+/, '')}\n`);
  }
}

async function weigh(): Promise<void> {
  const entries = await Promise.all(
    BUDGETS.map(async (budget) => ({
      budget,
      bundle: await tryBundle(`size/entries/${budget.entry ?? budget.name}.ts`, (source) =>
        bundle(source, budget.leftOut),
      ),
    })),
  );
  const starters = entries.flatMap(({ budget, bundle }) =>
    'file' in bundle ? [{ ...budget, file: bundle.file }] : [],
  );
  const starts = await startInTurn(starters, ROUNDS);
  for (const { budget, bundle } of entries) {
    const line = 'file' in bundle ? weight(budget, bundle, starts.get(budget.name)) : `FAILED: ${bundle.problem}`;
    process.stdout.write(`${budget.name.padEnd(14)} ${line}\n`);
    if (/\b(?:FAILED|OVER|WRONG)\b/.test(line)) process.exitCode = 1;
  }
}

function weight(
  { name, gzipBytes: budget, wantedBytes, event, lacks = [] }: Budget,
  { bytes, gzipBytes, parts }: Bundle,
  starts: Starts | undefined,
): string {
  const { wrong = ROUNDS } = starts ?? {};
  const first = `${event ? 'first response' : 'import'} ${millisOf(starts)} ms`;
  // A function without durable executions does not contain their code.
  const missing = name === 'durable' ? lacks : [...lacks, 'packages/durable/'];
  const stray = [...parts.keys()].find((path) => missing.some((part) => path.includes(part)));
  const limit = budget === null ? 'no budget' : `${gzipBytes > budget ? 'OVER' : 'within'} ${kilobytes(budget)}`;
  return [
    kilobytes(bytes).padStart(9),
    `${kilobytes(gzipBytes)} gzip`.padStart(13),
    `   ${limit.padEnd(16)}`,
    (wantedBytes === undefined ? '' : `wanted ${kilobytes(wantedBytes)}`).padEnd(14),
    stray !== undefined ? `WRONG part ${stray}` : wrong > 0 ? `WRONG answer ${wrong} times` : first,
  ].join(' ');
}

function millisOf(starts: Starts | undefined): string {
  return number(median(starts?.answers.map(({ millis }) => millis) ?? []));
}

async function weighSplit(): Promise<void> {
  const split = await Promise.all(
    SPLIT_BUDGETS.map(async (budget) => ({ budget, bundle: await splitBundle(`size/entries/${budget.name}.ts`) })),
  );
  const starters = split.map(({ budget: { name }, bundle: { file } }) => ({
    name,
    file,
    event: null,
    accepts: () => true,
  }));
  const starts = await startInTurn(starters, ROUNDS);
  for (const { budget, bundle } of split) {
    const { startFiles, startGzipBytes, lazyParts } = bundle;
    const isOver = startGzipBytes > budget.startBytes || startFiles > budget.startFiles || lazyParts > budget.lazyParts;
    if (isOver) process.exitCode = 1;
    const parts = [
      `${kilobytes(startGzipBytes)} gzip in ${startFiles} files at the start, ${lazyParts} lazy parts`,
      `${isOver ? 'OVER' : 'within'} ${kilobytes(budget.startBytes)}, ${budget.startFiles} files and ${budget.lazyParts} parts`,
      `import ${millisOf(starts.get(budget.name))} ms`,
    ];
    process.stdout.write(`${`${budget.name} split`.padEnd(14)} ${parts.join('   ')}\n`);
  }
}

/** Bundles with one trigger and no container; the catalogue has their budgets. */
async function weighTriggers(): Promise<void> {
  for (const { kind, sizes } of Object.values<CatalogueEntry>(CATALOGUE)) {
    const { bytes, gzipBytes, parts } = await bundleExport('@sallyport/triggers', sizes.factory);
    const stray = [...parts.keys()].find((path) => path.includes('triggers/src/catalogue'));
    const isOver = gzipBytes > sizes.gzipBytes || stray !== undefined;
    if (isOver) process.exitCode = 1;
    const limit = stray ? `WRONG part ${stray}` : `${isOver ? 'OVER' : 'within'} ${kilobytes(sizes.gzipBytes)}`;
    const figures = [kilobytes(bytes).padStart(9), `${kilobytes(gzipBytes)} gzip`.padStart(13)];
    process.stdout.write(`${kind.padEnd(20)} ${figures.join(' ')}    ${limit}\n`);
  }
}

async function weighParts(): Promise<void> {
  for (const { name, module, exports, startBytes, lazyBytes } of PART_BUDGETS) {
    const { startGzipBytes, lazyGzipBytes } = await bundlePart(module, exports);
    const isOver = startGzipBytes > startBytes || lazyGzipBytes > lazyBytes;
    if (isOver) process.exitCode = 1;
    const limit = `${isOver ? 'OVER' : 'within'} ${kilobytes(startBytes)} and ${kilobytes(lazyBytes)}`;
    const sizes = `${kilobytes(startGzipBytes)} gzip at the start, ${kilobytes(lazyGzipBytes)} on first use`;
    process.stdout.write(`${`${module} ${name}`.padEnd(48)} ${sizes}   ${limit}\n`);
  }
}

if (values.help) process.stdout.write(HELP);
else if (values.why === undefined) {
  await weigh();
  await weighTriggers();
  await weighSplit();
  await weighParts();
} else await explain(values.why);
