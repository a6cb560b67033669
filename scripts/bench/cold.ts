import { installedNodes } from '../node-versions.js';
import { type Bundle, bundleCommonJs, bundleHandler, tryBundle } from './bundle.js';
import { type CostRow, costTable, measureCosts } from './cold/costs.js';
import { bundleCached, bundleDeployed } from './cold/deployed.js';
import { HERE_256, type Place, type Starter, startInTurn } from './cold/in-turn.js';
import { notesStarters } from './cold/notes.js';
import { gatewayV2Event } from './events.js';
import { headOf, kilobytes, number } from './report.js';
import { keysVariable, NOTE, readToken } from './secured.js';
import { lowerTenth, median, pairedRatio } from './statistics.js';

/** Peer to module with one HTTP route. */
const ONE_ROUTE: Readonly<Record<string, string>> = {
  bare: 'cold/bare.ts',
  Middy: 'cold/middy.ts',
  'lambda-api': 'cold/lambda-api.ts',
  Hono: 'cold/hono.ts',
  h3: 'cold/h3.ts',
  fastify: 'cold/fastify.ts',
  Powertools: 'cold/powertools.ts',
  'express, serverless-http': 'cold/serverless-http.ts',
  'express, codegenie': 'cold/codegenie.ts',
};

/** Our application to its module with one HTTP route. */
const OUR_ROUTE: Readonly<Record<string, string>> = {
  ours: 'size/entries/http.ts',
  'ours, createApp': 'size/entries/app.ts',
  'ours, SecureApp': 'size/entries/secure.ts',
};

/** Peer to module whose `handlers` serve the application of a hundred routes. */
const HUNDRED_ROUTES: Readonly<Record<string, string>> = {
  bare: 'peers/bare-http.ts',
  Middy: 'peers/middy-http.ts',
  'lambda-api': 'peers/lambda-api.ts',
  Hono: 'peers/hono-http.ts',
  h3: 'peers/h3.ts',
  fastify: 'peers/fastify-http.ts',
  Powertools: 'peers/powertools-http.ts',
  'express, serverless-http': 'peers/serverless-http.ts',
  'express, codegenie': 'peers/codegenie.ts',
};

/** Our application to its module with a hundred routes. */
const OUR_HUNDRED: Readonly<Record<string, string>> = {
  ours: 'cold/ours-hundred.ts',
  'ours, createApp': 'cold/ours-hundred-app.ts',
  'ours, SecureApp': 'cold/ours-hundred-secure.ts',
};

/** Peer to module that makes the handler of the closed application. */
const SECURE: Readonly<Record<string, string>> = {
  bare: 'peers/bare-secure.ts',
  Middy: 'peers/middy-secure.ts',
  Hono: 'peers/hono-secure.ts',
  fastify: 'peers/fastify-secure.ts',
  'ours, SecureApp': 'peers/ours-secure.ts',
};

/** Peers that are measured on every Node, and in every size of memory. */
const EVERYWHERE = ['bare', 'Middy'];
/** Major versions of Node that Lambda runs. */
const ON_LAMBDA = ['20', '22', '24'];
/** The sizes of memory of the table of costs. */
const MEMORY: readonly number[] = [128, 512, 1_769];

export interface ColdRow {
  /** The application of one table's rows. */
  readonly table: string;
  readonly name: string;
  readonly bytes: number;
  readonly gzipBytes: number;
  readonly millis: readonly number[];
  readonly cpuMillis: readonly number[];
  readonly residentBytes: readonly number[];
  readonly wrong: number;
}

export interface Cold {
  readonly rows: readonly ColdRow[];
  readonly costs: readonly CostRow[];
}

/** A bundle with the request that it answers. */
interface Entry extends Omit<Starter, 'file'>, Pick<ColdRow, 'table' | 'bytes' | 'gzipBytes'> {
  /** `undefined` when there is no bundle. */
  readonly file: string | undefined;
}

/** The first response of each peer in fresh processes, minus the time of an empty module. */
export async function measureCold(rounds: number): Promise<Cold> {
  const health = gatewayV2Event({ method: 'GET', path: '/health' });
  const user = gatewayV2Event({ method: 'GET', path: '/users/42' });
  const note = gatewayV2Event({ method: 'POST', path: '/notes', body: JSON.stringify(NOTE), token: readToken() });
  const here = HERE_256;
  const peers = await entriesOf('a hundred routes', HUNDRED_ROUTES, user, 200, (module) =>
    bundleHandler(module, 'handlers', "handlers['get-v2']()"),
  );
  const hundred = oursOf('a hundred routes', OUR_HUNDRED, user, here);
  const entries: readonly Entry[] = [
    ...(await entriesOf('one route', ONE_ROUTE, health, 200, (module) => tryBundle(module, bundleCommonJs))),
    ...oursOf('one route', OUR_ROUTE, health, here),
    ...peers,
    ...hundred,
    ...(
      await entriesOf('a token, validation and a log line', SECURE, note, 201, (module) =>
        bundleHandler(module, 'createSecure', 'createSecure()'),
      )
    ).map((entry) => ({ ...entry, environment: keysVariable() })),
    ...(await notesStarters()).map((starter) => ({ table: 'the example notes', ...starter })),
  ];
  const rows = [...(await measure(entries, rounds, here))];
  const few = peers.filter(({ name }) => EVERYWHERE.includes(name));
  for (const place of otherPlaces(here)) {
    const table = `a hundred routes, Node ${place.version}`;
    const own = [...few.map((entry) => ({ ...entry, table })), ...oursOf(table, OUR_HUNDRED, user, place)];
    rows.push(...(await measure(own, rounds, place)));
  }
  const withoutClient = [...few, ...hundred].map((entry) => ({
    ...entry,
    table: 'a hundred routes, without Lambda’s client',
  }));
  rows.push(...(await measure(withoutClient, rounds, { ...here, isBare: true })));
  const starters = [...few, ...hundred].flatMap(({ file, ...entry }) =>
    file === undefined ? [] : [{ ...entry, file }],
  );
  return { rows, costs: await measureCosts(starters, rounds, MEMORY) };
}

/** The other versions of Node on Lambda that are installed. */
function otherPlaces(here: Place): readonly Place[] {
  const [major = ''] = here.version.split('.');
  const isOther = ([own = '']: readonly string[]) => own !== major && ON_LAMBDA.includes(own);
  return installedNodes().flatMap((node) => (isOther(node.version.split('.')) ? [{ ...here, ...node }] : []));
}

async function measure(entries: readonly Entry[], rounds: number, place: Place): Promise<readonly ColdRow[]> {
  // Names occur in several tables.
  const starters = entries.flatMap(({ file, name, ...entry }, index) =>
    file === undefined ? [] : [{ ...entry, file, name: String(index) }],
  );
  const starts = await startInTurn(starters, rounds, place);
  return entries.map(({ table, name, bytes, gzipBytes }, index) => {
    const { answers = [], wrong = rounds } = starts.get(String(index)) ?? {};
    return {
      table,
      name,
      bytes,
      gzipBytes,
      millis: answers.map(({ millis }) => millis),
      cpuMillis: answers.map(({ cpuMillis }) => cpuMillis),
      residentBytes: answers.map(({ residentBytes }) => residentBytes),
      wrong,
    };
  });
}

type TriedBundle = Bundle | { readonly problem: string };

function entriesOf(
  table: string,
  modules: Readonly<Record<string, string>>,
  event: object,
  status: number,
  make: (module: string) => Promise<TriedBundle>,
): Promise<readonly Entry[]> {
  return Promise.all(
    Object.entries(modules).map(async ([name, module]) => {
      const made = await make(module);
      const { file, bytes, gzipBytes } = 'file' in made ? made : { file: undefined, bytes: 0, gzipBytes: 0 };
      return { table, name, file, bytes, gzipBytes, event, accepts: acceptsOf(status) };
    }),
  );
}

/** Our applications without a start cache, then with a start cache. */
function oursOf(
  table: string,
  modules: Readonly<Record<string, string>>,
  event: object,
  place: Place,
): readonly Entry[] {
  const common = { table, event, accepts: acceptsOf(200) };
  const named = Object.entries(modules);
  return [
    ...named.map(([name, module]) => ({ ...common, name, ...bundleDeployed(module, place) })),
    ...named.map(([name, module]) => ({
      ...common,
      name: `${name}, start cache`,
      ...bundleCached(module, place, [place.memoryMb, ...MEMORY], name === 'ours' ? event : undefined),
    })),
  ];
}

function acceptsOf(status: number): Starter['accepts'] {
  return (answer) => (answer as { statusCode?: unknown } | null)?.statusCode === status;
}

/** One table for each kind of application, and the table of costs. */
export function coldTable({ rows, costs }: Cold): string {
  const tables = [...new Set(rows.map(({ table }) => table))];
  const texts = tables.map((table) => {
    const own = rows.filter((row) => row.table === table);
    const middy = own.find(({ name }) => name === 'Middy');
    const head = headOf([table, 'bundle', 'gzip', 'first response', 'CPU', 'CPU / Middy', 'resident memory more']);
    return [head, ...own.map((row) => coldLine(row, middy))].join('\n');
  });
  return [...texts, costTable(costs)].join('\n\n');
}

function coldLine(
  { name, bytes, gzipBytes, millis, cpuMillis, residentBytes, wrong }: ColdRow,
  middy?: ColdRow,
): string {
  const sizes = [name, kilobytes(bytes), kilobytes(gzipBytes)];
  if (wrong > 0) return `| ${[...sizes, `failed ${wrong} times`, '', '', ''].join(' | ')} |`;
  const times = [
    `${number(lowerTenth(millis))} ms`,
    `${number(lowerTenth(cpuMillis))} ms`,
    middy === undefined ? '' : number(pairedRatio(cpuMillis, middy.cpuMillis)),
  ];
  return `| ${[...sizes, ...times, `${(median(residentBytes) / 1024 / 1024).toFixed(1)} MiB`].join(' | ')} |`;
}
