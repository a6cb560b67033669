import { tryBundle } from './bundle.js';
import { startInTurn } from './cold/in-turn.js';
import { gatewayV2Event } from './events.js';
import { headOf, kilobytes, number } from './report.js';
import { median } from './statistics.js';

/** Peer to module with one HTTP route. */
const COLD: Readonly<Record<string, string>> = {
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
};

const EVENT = gatewayV2Event({ method: 'GET', path: '/health' });

export interface ColdRow {
  readonly name: string;
  readonly bytes: number;
  readonly gzipBytes: number;
  readonly millis: readonly number[];
  readonly residentBytes: readonly number[];
  readonly wrong: number;
}

/** The first response of each peer in fresh processes, beyond an empty module's. */
export async function measureCold(rounds: number): Promise<readonly ColdRow[]> {
  const entries = await Promise.all(
    Object.entries(COLD).map(async ([name, module]) => ({ name, bundle: await tryBundle(module) })),
  );
  const starters = entries.flatMap(({ name, bundle }) =>
    'file' in bundle ? [{ name, file: bundle.file, event: EVENT, accepts: isOk }] : [],
  );
  const starts = await startInTurn(starters, rounds);
  return entries.map(({ name, bundle }) => {
    const { bytes, gzipBytes } = 'file' in bundle ? bundle : { bytes: 0, gzipBytes: 0 };
    const { millis = [], residentBytes = [], wrong = rounds } = starts.get(name) ?? {};
    return { name, bytes, gzipBytes, millis, residentBytes, wrong };
  });
}

function isOk(answer: unknown): boolean {
  return (answer as { statusCode?: unknown } | null)?.statusCode === 200;
}

export function coldTable(rows: readonly ColdRow[]): string {
  const lines = rows.map(({ name, bytes, gzipBytes, millis, residentBytes, wrong }) => {
    const first = wrong > 0 ? `failed ${wrong} times` : `${number(median(millis))} ms`;
    const memory = wrong > 0 ? '' : `${(median(residentBytes) / 1024 / 1024).toFixed(1)} MiB`;
    return `| ${[name, kilobytes(bytes), kilobytes(gzipBytes), first, memory].join(' | ')} |`;
  });
  return [headOf(['', 'bundle', 'gzip', 'first response', 'resident memory more']), ...lines].join('\n');
}
