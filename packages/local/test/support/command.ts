import type { Around } from '../../src/internal/commands/around.js';
import { LOCAL_COMMANDS } from '../../src/internal/commands/local-commands.js';
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
  const [name = '', ...rest] = args;
  const found = LOCAL_COMMANDS[name];
  if (!found) throw new Error(`no command ${name}`);
  return found.run(rest, around);
}

/** Runs a command to its end. */
export async function run(project: Project, args: readonly string[], input = ''): Promise<Output & { code: number }> {
  const output = { out: '', err: '' };
  return { code: await command(project, args, output, input), ...output };
}
