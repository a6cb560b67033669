import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { invalidUsage } from '../../internal/errors.js';

/** A handler of Lambda that returns a promise, or a value. */
export type LambdaHandler = (event: unknown, context: object) => unknown;

const EXTENSIONS = ['.mjs', '.js', '.cjs', '.ts', '.mts'];

/**
 * Loads `dist/old.handler`: the export `handler` of the module `dist/old`.
 *
 * @returns the reason if the module does not load or has no such function
 * @throws FrameworkError `cli.usage` for a name without file and export
 */
export async function loadHandler(cwd: string, name: string): Promise<LambdaHandler | string> {
  const dot = name.lastIndexOf('.');
  const [module, member] = [name.slice(0, dot), name.slice(dot + 1)];
  const extension = EXTENSIONS.find((one) => existsSync(resolve(cwd, module + one)));
  if (dot <= 0 || extension === undefined) {
    throw invalidUsage(`${name}: write a file without its extension, and an export: dist/old.handler`);
  }
  let exports: Readonly<Record<string, unknown>>;
  try {
    exports = (await import(pathToFileURL(resolve(cwd, module + extension)).href)) as typeof exports;
  } catch (error) {
    const text = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
    return `${module}${extension} does not load: ${text}`;
  }
  const inner = exports.default as Readonly<Record<string, unknown>> | undefined;
  const handler = exports[member] ?? inner?.[member];
  return typeof handler === 'function' ? (handler as LambdaHandler) : `${module}${extension} has no function ${member}`;
}
