import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { bundle } from './bundle.js';
import type { FirstAnswer } from './cold/start.js';
import { headOf, number } from './report.js';
import { median } from './statistics.js';

/** Peer to module with one HTTP route. The first is the empty module that all others are measured against. */
const COLD: Readonly<Record<string, string>> = {
  empty: 'cold/empty.ts',
  bare: 'cold/bare.ts',
  Middy: 'cold/middy.ts',
  'lambda-api': 'cold/lambda-api.ts',
  Hono: 'cold/hono.ts',
  h3: 'cold/h3.ts',
  fastify: 'cold/fastify.ts',
  Powertools: 'cold/powertools.ts',
  'express, serverless-http': 'cold/serverless-http.ts',
  'express, codegenie': 'cold/codegenie.ts',
  ours: 'cold/ours.ts',
  'ours, createApp': 'cold/ours-app.ts',
};

export interface ColdRow {
  readonly name: string;
  readonly bytes: number;
  readonly gzipBytes: number;
  /** Milliseconds to the first response beyond an empty module's, start by start. */
  readonly millis: readonly number[];
  /** Resident bytes beyond an empty module's, start by start. */
  readonly residentBytes: readonly number[];
  readonly problem?: string;
}

/** Starts each peer in fresh processes, in turn, so that whatever else the machine does meets everyone alike. */
export async function measureCold(rounds: number): Promise<readonly ColdRow[]> {
  const start = await bundle('cold/start.ts');
  const files = await Promise.all(
    Object.entries(COLD).map(async ([name, module]) => ({ name, file: await bundle(module) })),
  );
  const answers = new Map<string, FirstAnswer[]>(files.map(({ name }) => [name, []]));
  const problems = new Map<string, string>();
  for (let round = 0; round < rounds; round++) {
    for (const { name, file } of files) {
      const answer = await firstAnswer(start, file);
      if (answer?.status === 200) answers.get(name)?.push(answer);
      else problems.set(name, `answered ${answer?.status ?? 'nothing'}`);
    }
  }
  const empty = answers.get('empty') ?? [];
  return files.slice(1).map(({ name, file }) => {
    const own = answers.get(name) ?? [];
    const code = readFileSync(file);
    const problem = problems.get(name);
    return {
      name,
      bytes: code.length,
      gzipBytes: gzipSync(code, { level: 9 }).length,
      millis: own.map(({ millis }, index) => millis - (empty[index]?.millis ?? Number.NaN)),
      residentBytes: own.map(({ residentBytes }, index) => residentBytes - (empty[index]?.residentBytes ?? Number.NaN)),
      ...(problem === undefined ? {} : { problem }),
    };
  });
}

function firstAnswer(start: string, file: string): Promise<FirstAnswer | null> {
  return new Promise((resolve) => {
    const child = fork(start, [file], {
      execArgv: [],
      env: { ...process.env, NODE_ENV: 'production' },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    child.once('message', (answer: FirstAnswer) => resolve(answer));
    child.once('exit', () => resolve(null));
  });
}

export function coldTable(rows: readonly ColdRow[]): string {
  const lines = rows.map(({ name, bytes, gzipBytes, millis, residentBytes, problem }) =>
    problem
      ? `| ${name} | ${kilobytes(bytes)} | ${kilobytes(gzipBytes)} | failed: ${problem} | |`
      : `| ${name} | ${kilobytes(bytes)} | ${kilobytes(gzipBytes)} | ${number(median(millis))} ms | ${(median(residentBytes) / 1024 / 1024).toFixed(1)} MiB |`,
  );
  return [headOf(['', 'bundle', 'gzip', 'first response', 'resident memory more']), ...lines].join('\n');
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} KB`;
}
