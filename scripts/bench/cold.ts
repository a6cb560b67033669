import { type Bundle, bundleHandler, tryBundle } from './bundle.js';
import { type Starter, startInTurn } from './cold/in-turn.js';
import { notesStarters } from './cold/notes.js';
import { gatewayV2Event } from './events.js';
import { headOf, kilobytes, number } from './report.js';
import { NOTE, readToken } from './secured.js';
import { median } from './statistics.js';

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
  ours: 'cold/ours-hundred.ts',
  'ours, createApp': 'peers/ours-http.ts',
};

/** Peer to module that makes the handler of the closed application. */
const SECURE: Readonly<Record<string, string>> = {
  bare: 'peers/bare-secure.ts',
  Middy: 'peers/middy-secure.ts',
  Hono: 'peers/hono-secure.ts',
  fastify: 'peers/fastify-secure.ts',
  'ours, SecureApp': 'peers/ours-secure.ts',
};

export interface ColdRow {
  /** The application of one table's rows. */
  readonly table: string;
  readonly name: string;
  readonly bytes: number;
  readonly gzipBytes: number;
  readonly millis: readonly number[];
  readonly residentBytes: readonly number[];
  readonly wrong: number;
}

/** A bundle with the request that it answers. */
interface Entry extends Omit<Starter, 'file'>, Pick<ColdRow, 'table' | 'bytes' | 'gzipBytes'> {
  /** `undefined` when there is no bundle. */
  readonly file: string | undefined;
}

/** The first response of each peer in fresh processes, minus the time of an empty module. */
export async function measureCold(rounds: number): Promise<readonly ColdRow[]> {
  const health = gatewayV2Event({ method: 'GET', path: '/health' });
  const user = gatewayV2Event({ method: 'GET', path: '/users/42' });
  const note = gatewayV2Event({ method: 'POST', path: '/notes', body: JSON.stringify(NOTE), token: readToken() });
  const entries: readonly Entry[] = [
    ...(await entriesOf('one route', ONE_ROUTE, health, 200, tryBundle)),
    ...(await entriesOf('a hundred routes', HUNDRED_ROUTES, user, 200, bundleHundred)),
    ...(await entriesOf('a token, validation and a log line', SECURE, note, 201, (module) =>
      bundleHandler(module, 'createSecure', 'createSecure()'),
    )),
    ...(await notesStarters()).map((starter) => ({ table: 'the example notes', ...starter })),
  ];
  // Names occur in several tables.
  const starters = entries.flatMap(({ file, name, ...entry }, index) =>
    file === undefined ? [] : [{ ...entry, file, name: String(index) }],
  );
  const starts = await startInTurn(starters, rounds);
  return entries.map(({ table, name, bytes, gzipBytes }, index) => {
    const { millis = [], residentBytes = [], wrong = rounds } = starts.get(String(index)) ?? {};
    return { table, name, bytes, gzipBytes, millis, residentBytes, wrong };
  });
}

function bundleHundred(module: string): Promise<TriedBundle> {
  if (module === 'cold/ours-hundred.ts') return tryBundle(module);
  if (module !== 'peers/ours-http.ts') return bundleHandler(module, 'handlers', "handlers['get-v2']()");
  return bundleHandler(module, 'createHttp', "createHttp('p2', { routes: 100, steps: [], stores: false })");
}

type TriedBundle = Bundle | { readonly problem: string };

function entriesOf(
  table: string,
  modules: Readonly<Record<string, string>>,
  event: object,
  status: number,
  make: (module: string) => Promise<TriedBundle>,
): Promise<readonly Entry[]> {
  const accepts = (answer: unknown) => (answer as { statusCode?: unknown } | null)?.statusCode === status;
  return Promise.all(
    Object.entries(modules).map(async ([name, module]) => {
      const made = await make(module);
      const { file, bytes, gzipBytes } = 'file' in made ? made : { file: undefined, bytes: 0, gzipBytes: 0 };
      return { table, name, file, bytes, gzipBytes, event, accepts };
    }),
  );
}

/** One table for each kind of application. */
export function coldTable(rows: readonly ColdRow[]): string {
  const tables = [...new Set(rows.map(({ table }) => table))];
  return tables
    .map((table) => {
      const lines = rows.filter((row) => row.table === table).map(coldLine);
      return [headOf([table, 'bundle', 'gzip', 'first response', 'resident memory more']), ...lines].join('\n');
    })
    .join('\n\n');
}

function coldLine({ name, bytes, gzipBytes, millis, residentBytes, wrong }: ColdRow): string {
  const first = wrong > 0 ? `failed ${wrong} times` : `${number(median(millis))} ms`;
  const memory = wrong > 0 ? '' : `${(median(residentBytes) / 1024 / 1024).toFixed(1)} MiB`;
  return `| ${[name, kilobytes(bytes), kilobytes(gzipBytes), first, memory].join(' | ')} |`;
}
