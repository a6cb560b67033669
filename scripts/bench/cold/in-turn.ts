import { fork } from 'node:child_process';
import { type Bundle, bundle } from '../bundle.js';
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

/** Times minus an empty module's time, start by start. */
export interface Starts {
  readonly millis: readonly number[];
  readonly residentBytes: readonly number[];
  /** Wrong answers, and processes that exited without an answer. */
  readonly wrong: number;
}

/** Starts each in fresh processes, in turn, so that other load on the machine affects all equally. */
export async function startInTurn(starters: readonly Starter[], rounds: number): Promise<ReadonlyMap<string, Starts>> {
  const start = await bundle('cold/start.ts');
  const empty = await bundle('cold/empty.ts');
  const starts = new Map(
    starters.map(({ name }) => [name, { millis: [] as number[], residentBytes: [] as number[], wrong: 0 }]),
  );
  for (let round = 0; round < rounds; round++) {
    const base = await firstAnswer(start, empty.file, {});
    for (const { name, file, event, environment, accepts } of starters) {
      const first = await firstAnswer(start, file, event, environment);
      const own = starts.get(name);
      if (!own) continue;
      if (!first || !base || !accepts(first.answer)) {
        own.wrong++;
        continue;
      }
      own.millis.push(first.millis - base.millis);
      own.residentBytes.push(first.residentBytes - base.residentBytes);
    }
  }
  return starts;
}

function firstAnswer(
  start: Bundle,
  file: string,
  event: object | null,
  environment: Starter['environment'] = {},
): Promise<FirstAnswer | null> {
  return new Promise((resolve) => {
    const child = fork(start.file, [file, JSON.stringify(event)], {
      execArgv: [],
      env: { ...process.env, NODE_ENV: 'production', ...environment },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    child.once('message', (answer: FirstAnswer) => resolve(answer));
    child.once('exit', () => resolve(null));
  });
}
