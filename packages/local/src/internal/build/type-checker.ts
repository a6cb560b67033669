import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** One check of all types after a save. */
export interface TypeCheck {
  /** `src/notes.ts:3:5  TS2322: Type 'string' is not assignable to type 'number'.` */
  readonly errors: readonly string[];
  /** The number of all errors; only the first are listed. */
  readonly count: number;
}

/** Options of {@link startTypeChecker}. */
export interface TypeCheckerInit {
  /** The project. */
  readonly folder: string;
  /** Registers a process that must end with the run. */
  readonly guard: (pid: number) => void;
  readonly onCheck: (check: TypeCheck) => void;
}

const MAX_ERRORS = 5;
/** `src/notes.ts(3,5): error TS2322: …`, without `--pretty`. */
const ERROR = /^(.+?)\((\d+),(\d+)\): error (TS\d+: .*)$/;
const GLOBAL_ERROR = /^error (TS\d+: .*)$/;
/** The last line of a check: `Found 2 errors. Watching for file changes.`, after the time of day. */
const END = /Found (\d+) errors?\. Watching for file changes\.$/;

/**
 * Checks types while the service runs: the project's own TypeScript runs in a separate process with low priority and watches the files of
 * `tsconfig.json`. Builds do not depend on it.
 *
 * @returns a function that stops it; `undefined` if the project has no `tsconfig.json` or no TypeScript
 */
export function startTypeChecker({ folder, guard, onCheck }: TypeCheckerInit): (() => Promise<void>) | undefined {
  const compiler = compilerOf(folder);
  if (compiler === undefined || !existsSync(join(folder, 'tsconfig.json'))) return undefined;
  const args = [compiler, '--project', folder, '--noEmit', '--watch', '--preserveWatchOutput', '--pretty', 'false'];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  if (child.pid !== undefined) {
    guard(child.pid);
    lowerPriority(child.pid);
  }
  readChecks(child, onCheck);
  return () => {
    child.kill('SIGKILL');
    return ended;
  };
}

/** The project's compiler; `undefined` if TypeScript is not installed. */
function compilerOf(folder: string): string | undefined {
  try {
    return createRequire(join(folder, 'package.json')).resolve('typescript/bin/tsc');
  } catch {
    return undefined;
  }
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // The process has already ended, or the system does not allow it: the check runs with normal priority.
  }
}

function readChecks({ stdout }: ChildProcess, onCheck: TypeCheckerInit['onCheck']): void {
  if (!stdout) return;
  let errors: string[] = [];
  createInterface({ input: stdout }).on('line', (line) => {
    const [, file, row, column, text = ''] = ERROR.exec(line) ?? [];
    const general = GLOBAL_ERROR.exec(line)?.[1];
    if (file !== undefined) errors.push(`${file}:${row}:${column}  ${text}`);
    else if (general !== undefined) errors.push(general);
    const count = END.exec(line)?.[1];
    if (count === undefined) return;
    onCheck({ errors: errors.slice(0, MAX_ERRORS), count: Number(count) });
    errors = [];
  });
}

/** A check as lines for the terminal and the console; `undefined` for a repeated success. */
export function typeCheckText({ errors, count }: TypeCheck, previous: TypeCheck | undefined): string | undefined {
  if (count === 0) return previous === undefined || previous.count === 0 ? undefined : 'types: no errors';
  const more = count > errors.length ? [`and ${count - errors.length} more`] : [];
  return [
    `types: ${count} ${count === 1 ? 'error' : 'errors'}; the function runs nevertheless`,
    ...errors,
    ...more,
  ].join('\n          ');
}
