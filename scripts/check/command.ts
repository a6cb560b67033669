import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
/** The folder for data that gates keep between runs. Ignored by git. */
export const CACHE = join(ROOT, 'node_modules', '.cache', 'sallyport');

export interface CommandResult {
  readonly status: number;
  /** Standard output and standard error, as received. */
  readonly output: string;
  readonly stdout: string;
}

/** Runs a program in the workspace's root (or `cwd`) without standard input, and collects its output. */
export function run(command: string, args: readonly string[], cwd: string = ROOT): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NO_COLOR: '1' },
    });
    const all: Buffer[] = [];
    const out: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => all.push(chunk) && out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => all.push(chunk));
    child.once('error', reject);
    child.once('close', (code) => {
      const text = (chunks: Buffer[]) => Buffer.concat(chunks).toString('utf8').trim();
      resolve({ status: code ?? 1, output: text(all), stdout: text(out) });
    });
  });
}

/** Runs a tool of the workspace (`node_modules/.bin`). */
export function tool(name: string, ...args: readonly string[]): Promise<CommandResult> {
  return run(join(ROOT, 'node_modules', '.bin', name), args);
}

/** The findings of a tool that reports problems by its exit code and its output. */
export function findingsOf(result: CommandResult): readonly string[] {
  if (result.status === 0) return [];
  return [result.output === '' ? `ended with status ${result.status}` : result.output];
}
