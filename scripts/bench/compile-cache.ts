import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Name of the folder next to the bundle. */
export const CACHE_FOLDER = '.compile-cache';

export interface CompileCacheOptions {
  /** The bundle's entry: the module that exports the handler. It is imported once, with all its imports. */
  readonly file: string;
  /** The Node.js that will run the bundle; V8 accepts code of the same version, architecture, processor features and flags only. */
  readonly node?: string;
  /** V8 flags of the function's process. */
  readonly nodeArguments?: readonly string[];
  /** Variables that the module reads when it is imported. Default: the variables of this process. */
  readonly environment?: NodeJS.ProcessEnv;
  /** An event for the handler, so that the code of its first answer is compiled too. Default: no event. */
  readonly event?: object;
  /** The user who will run the function: Node.js only looks in that user's folder. Default: this process's user. */
  readonly uid?: number;
}

/** Runs in the new process, which exits explicitly: an open connection of the module would keep it alive. */
const PROGRAM = `
const [file, event] = process.argv.slice(1);
try {
  const { handler } = await import(file);
  if (event !== '') await handler(JSON.parse(event), { getRemainingTimeInMillis: () => 29000 });
} finally {
  process.exit();
}`;

/**
 * Writes Node's compile cache for a bundle into a folder next to it, and returns the environment variables with which the function
 * finds it; `undefined` if this Node.js cannot write a portable cache (before 22.20 and 24.8). Move the bundle and the folder
 * together; they can be read-only. Another version of Node.js silently starts the function without the cache.
 *
 * @param root where the folder of the bundle is when the function runs, `/var/task` in AWS Lambda
 * @see https://nodejs.org/api/module.html#module-compile-cache
 */
export function createCompileCache(
  { file, node = process.execPath, nodeArguments = [], environment = process.env, event, uid }: CompileCacheOptions,
  root = dirname(file),
): Readonly<Record<string, string>> | undefined {
  const folder = join(dirname(file), CACHE_FOLDER);
  rmSync(folder, { recursive: true, force: true });
  const url = pathToFileURL(file).href;
  const program = ['--input-type=module', '--eval', PROGRAM, url, event ? JSON.stringify(event) : ''];
  spawnSync(node, [...nodeArguments, ...program], {
    env: { ...environment, NODE_COMPILE_CACHE: folder, NODE_COMPILE_CACHE_PORTABLE: '1' },
    stdio: 'ignore',
    timeout: 60_000,
  });
  const [written] = existsSync(folder) ? readdirSync(folder) : [];
  if (written === undefined) return undefined;
  // `v22.23.3-x64-9ac5647c-1000`: version, architecture, V8's tag and user.
  const wanted = uid === undefined ? written : written.replace(/\d+$/, String(uid));
  if (wanted !== written) cpSync(join(folder, written), join(folder, wanted), { recursive: true });
  return { NODE_COMPILE_CACHE: join(root, basename(folder)), NODE_COMPILE_CACHE_PORTABLE: '1' };
}
