import type { Around } from '../../src/internal/commands/around.js';
import { runCommand } from '../../src/internal/commands/run-command.js';
import type { Project } from './run.js';

/** Output of a command. */
export interface Output {
  out: string;
  err: string;
}

/** Runs a command in a project; `until` stops a command that does not exit. */
export function command(
  project: Project,
  args: readonly string[],
  output: Output,
  input = '',
  until = new AbortController(),
): Promise<number> {
  const around: Around = {
    cwd: project.folder,
    environment: {},
    out: (text) => {
      output.out += text;
    },
    err: (text) => {
      output.err += text;
    },
    input: async () => input,
    signal: until.signal,
  };
  return runCommand(args, around);
}

/** Runs a command to its end. */
export async function run(project: Project, args: readonly string[], input = ''): Promise<Output & { code: number }> {
  const output = { out: '', err: '' };
  return { code: await command(project, args, output, input), ...output };
}
