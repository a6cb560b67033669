import type { Around } from '../../src/internal/command.js';

/** The output of a command, and its exit code. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** The function of a command. */
export type Run = (args: readonly string[], around: Around) => Promise<number>;

/** Runs a command in a folder. */
export async function runIn(
  folder: string,
  run: Run,
  args: readonly string[],
  environment: Around['environment'] = {},
): Promise<Ran> {
  const output = { out: '', err: '' };
  const code = await run(args, around(folder, output, new AbortController(), environment));
  return { code, ...output };
}

/** The environment of a command in a test. */
export function around(
  cwd: string,
  output: { out: string; err: string },
  end: AbortController,
  environment: Around['environment'] = {},
): Around {
  return {
    cwd,
    environment,
    out: (text) => {
      output.out += text;
    },
    err: (text) => {
      output.err += text;
    },
    input: async () => '',
    signal: end.signal,
  };
}
