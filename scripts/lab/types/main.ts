// Measures the compile time of typed routes and of typed clients: `npm run bench:types`. Fails above a budget.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { APPLICATIONS } from './applications.js';
import { CLIENTS, type ClientProgram } from './clients.js';
import { COMPILERS, type Compiler, type Cost, costOf } from './cost.js';
import { completionCpu } from './editor.js';
import { typesCpu } from './emitter.js';

const ROUTES = 200;
/** Instantiations per route. */
const BUDGET = 1_000;
/** Instantiations of our client, as a part of those of Hono's. */
const CLIENT_SHARE = 0.05;
/** How instantiations of our client grow with the number of routes: 1 is linear. */
const MAX_EXPONENT = 1.1;
/** CPU time of `sallyport types` beyond loading a service. */
const TYPES_MS = 400;

const { values: flags } = parseArgs({
  options: {
    /** Leaves out the routes of servers. */
    clients: { type: 'boolean', default: false },
    /** Compilations of each client; their median counts. */
    rounds: { type: 'string', default: '3' },
  },
});

const print = (line: string) => process.stdout.write(`${line}\n`);
function fail(problem: string): void {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}

function measureRoutes(folder: string): void {
  print(`| ${ROUTES} routes | instantiations a route | all | check time, no route | with them |\n|---|---|---|---|---|`);
  for (const [name, application] of Object.entries(APPLICATIONS)) {
    const none = costOf(folder, { 'application.ts': application(0) });
    const all = costOf(folder, { 'application.ts': application(ROUTES) });
    const each = Math.round((all.instantiations - none.instantiations) / ROUTES);
    print(`| ${name} | ${each} | ${all.instantiations} | ${none.checkSeconds} s | ${all.checkSeconds} s |`);
    if (name.startsWith('ours') && each > BUDGET)
      fail(`a route of ours takes ${each} instantiations; the budget is ${BUDGET}`);
  }
}

/** The costs of the routes alone: with them, less those of the same program without routes. */
function addedBy(folder: string, program: ClientProgram, routes: number, none: Cost, compiler?: Compiler): Cost {
  const all = costOf(folder, program(routes), compiler);
  return {
    ...all,
    instantiations: all.instantiations - none.instantiations,
    checkSeconds: all.checkSeconds - none.checkSeconds,
  };
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
const percent = (part: number) => `${(100 * part).toFixed(1)} %`;

const NOTHING: Cost = { instantiations: 0, checkSeconds: 0, memoryMb: 0, files: [] };

function mapValues<T, R>(values: Readonly<Record<string, T>>, to: (value: T, name: string) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, to(value, name)]));
}

function measureClients(folder: string): void {
  const empty = mapValues(CLIENTS, (program) => costOf(folder, program(0)));
  // The rounds go around all clients, so that a busy machine slows down all of them.
  const rounds = Array.from({ length: Number(flags.rounds) }, () =>
    mapValues(CLIENTS, (program, name) => addedBy(folder, program, ROUTES, empty[name] ?? NOTHING)),
  );
  const of = (name: string, part: 'instantiations' | 'checkSeconds' | 'memoryMb') =>
    median(rounds.map((round) => round[name]?.[part] ?? Number.NaN));
  print(`\n| client of ${ROUTES} routes | instantiations | of Hono's | check time of Hono's | memory |\n|---|---|---|---|---|`);
  for (const name of Object.keys(CLIENTS)) {
    const share = of(name, 'instantiations') / of(PEER, 'instantiations');
    const time = median(rounds.map((round) => (round[name]?.checkSeconds ?? 0) / (round[PEER]?.checkSeconds ?? 1)));
    print(`| ${name} | ${of(name, 'instantiations')} | ${percent(share)} | ${percent(time)} | ${of(name, 'memoryMb')} MB |`);
    if (name === 'ours' && share > CLIENT_SHARE)
      fail(`our client takes ${percent(share)} of the instantiations of Hono's; the budget is ${percent(CLIENT_SHARE)}`);
  }
  const files = rounds[0]?.ours?.files.map((file) => file.slice(folder.length + 1)).sort() ?? [];
  print(`\nfiles of our client's program: ${files.join(', ')}`);
}

const PEER = 'Hono `hc`';

/** Our client and Hono's under each compiler, and how ours grows to 1,000 routes. */
function measureCompilers(folder: string): void {
  print('\n| compiler | ours | Hono `hc` | share | 1,000 routes | exponent |\n|---|---|---|---|---|---|');
  for (const compiler of Object.keys(COMPILERS) as Compiler[]) {
    const added = (program: ClientProgram, routes: number) =>
      addedBy(folder, program, routes, costOf(folder, program(0), compiler), compiler).instantiations;
    const [ours, peer, thousand] = [added(CLIENTS.ours, ROUTES), added(CLIENTS[PEER], ROUTES), added(CLIENTS.ours, 1000)];
    const exponent = Math.log(thousand / ours) / Math.log(1000 / ROUTES);
    const share = percent(ours / peer);
    print(`| ${compiler} | ${ours} | ${peer} | ${share} | ${thousand} | ${exponent.toFixed(2)} |`);
    if (exponent > MAX_EXPONENT)
      fail(`the instantiations of our client grow with the exponent ${exponent.toFixed(2)} under TypeScript ${compiler}`);
  }
}

/** A program whose contract has so many routes and that calls one of them. */
const callOne = (program: ClientProgram, routes: number) => ({
  ...program(routes),
  'application.ts': program(1)['application.ts'] ?? '',
});

async function measureEditor(folder: string): Promise<void> {
  print('\n| completion of a route in an editor | 1 route | 1,000 routes |\n|---|---|---|');
  const rows = [
    ['ours', CLIENTS.ours, "api('"],
    ['openapi-fetch', CLIENTS['openapi-fetch'], "api.GET('"],
  ] as const;
  for (const [name, program, before] of rows) {
    const one = await completionCpu(folder, callOne(program, 1), before);
    const thousand = await completionCpu(folder, callOne(program, 1000), before);
    print(`| ${name} | ${one} ms CPU | ${thousand} ms CPU |`);
  }
}

function measureEmitter(): void {
  const milliseconds = Math.round(typesCpu(ROUTES));
  print(`\n\`sallyport types\`, ${ROUTES} routes: ${milliseconds} ms CPU beyond loading the service`);
  if (milliseconds > TYPES_MS) fail(`the types of ${ROUTES} routes take ${milliseconds} ms CPU; the budget is ${TYPES_MS}`);
}

/** Inside this package, where the imports of the applications are installed. */
const cache = join(import.meta.dirname, '..', '..', 'bench', 'node_modules', '.cache');
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, 'types-'));
try {
  measureEmitter();
  if (!flags.clients) measureRoutes(folder);
  measureClients(folder);
  measureCompilers(folder);
  await measureEditor(folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
