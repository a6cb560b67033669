import { spawn } from 'node:child_process';
import { lambdaFlags } from '@sallyport/bundle';
import { fromJson } from '@sallyport/core/internal';
import { bundle, bundleCommonJs } from '../bundle.js';
import type { CpuLimit } from './cpu-limit.js';
import type { FirstAnswer } from './start.js';

export interface Starter {
  readonly name: string;
  /** A bundle that exports `handler`. */
  readonly file: string;
  /** `null` times only the import. */
  readonly event: object | null;
  /** Additional variables of its process; default none. */
  readonly environment?: Readonly<Record<string, string>>;
  /** True if the answer is right. */
  accepts(answer: unknown): boolean;
}

/** The processes as Lambda would start them. */
export interface Place {
  /** Path of the executable. */
  readonly node: string;
  /** Its version, `22.23.3`. */
  readonly version: string;
  /** The memory of the function, which determines the flags of Node. */
  readonly memoryMb: number;
  /** Limits the process to the CPU time of this memory size; default: no limit. */
  readonly limit?: CpuLimit;
  /** True if the modules of Node that Lambda's client uses are not loaded before. Default false. */
  readonly isBare?: boolean;
}

/** The Node of this process, with the memory that `ServiceFunction` has by default. */
export const HERE_256: Place = { node: process.execPath, version: process.versions.node, memoryMb: 256 };

/** The right answers, start by start, and the number of wrong answers and of processes that exited without an answer. */
export interface Starts {
  readonly answers: readonly FirstAnswer[];
  readonly wrong: number;
}

/** Lambda's runtime client (aws-lambda-ric 4.0.2) loads these modules before it loads the function, so that the function finds them loaded. */
const CLIENT_MODULES = ['node:fs', 'node:http', 'node:net', 'node:os', 'node:path', 'node:util', 'node:worker_threads'];

/** Variables that Lambda sets and our code reads. The variables of this process are not passed. */
const VARIABLES = {
  PATH: process.env.PATH ?? '',
  NODE_ENV: 'production',
  AWS_LAMBDA_FUNCTION_NAME: 'bench',
  AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
  AWS_LAMBDA_RUNTIME_API: '127.0.0.1:9',
  AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
  AWS_REGION: 'eu-west-1',
};

/**
 * Starts each in fresh processes with Lambda's flags and variables, in turn, so that other load on the machine affects all equally. The figures
 * of an empty CommonJS module in the same round are subtracted, except from the time of the initialization.
 */
export async function startInTurn(
  starters: readonly Starter[],
  rounds: number,
  place: Place = HERE_256,
): Promise<ReadonlyMap<string, Starts>> {
  const start = await bundle('cold/start.ts');
  const empty = await bundleCommonJs('cold/empty.ts');
  const starts = new Map(starters.map(({ name }) => [name, { answers: [] as FirstAnswer[], wrong: 0 }]));
  for (let round = 0; round < rounds; round++) {
    const base = await firstAnswer(start.file, place, { file: empty.file, event: null });
    for (const starter of starters) {
      const first = await firstAnswer(start.file, place, starter);
      const own = starts.get(starter.name);
      if (!own) continue;
      if (!first || !base || !starter.accepts(first.answer)) own.wrong++;
      else own.answers.push(without(base, first));
    }
  }
  return starts;
}

function without(base: FirstAnswer, first: FirstAnswer): FirstAnswer {
  return {
    ...first,
    millis: first.millis - base.millis,
    cpuMillis: first.cpuMillis - base.cpuMillis,
    residentBytes: first.residentBytes - base.residentBytes,
  };
}

function firstAnswer(
  start: string,
  { node, version, memoryMb, limit, isBare = false }: Place,
  { file, event, environment }: Pick<Starter, 'file' | 'event' | 'environment'>,
): Promise<FirstAnswer | undefined> {
  const flags = lambdaFlags(memoryMb, Number.parseInt(version, 10));
  return new Promise((resolve) => {
    const child = spawn(node, [...flags, start, file, JSON.stringify(event), ...(isBare ? [] : CLIENT_MODULES)], {
      env: { ...VARIABLES, AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb), ...environment },
      // No channel of messages: Node would load modules for it that the measured code then finds loaded.
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    });
    const release = limit?.(child.pid ?? 0, memoryMb);
    const chunks: Buffer[] = [];
    child.stdio[3]?.on('data', (chunk: Buffer) => chunks.push(chunk));
    // Not before the process has ended: it would run next to the following one.
    child.once('close', () => {
      release?.();
      resolve(fromJson(Buffer.concat(chunks).toString()) as FirstAnswer | undefined);
    });
  });
}
