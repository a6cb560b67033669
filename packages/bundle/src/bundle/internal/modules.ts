import { existsSync, readFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import type { BuildResult, LogLevel, Message } from 'esbuild';

/**
 * Messages of esbuild about CommonJS bundles: `import.meta` would be empty, and `import()` of an expression becomes a `require`, which cannot load
 * an ES module.
 */
export const COMMONJS_CHECKS: Record<string, LogLevel> = {
  'empty-import-meta': 'error',
  'unsupported-dynamic-import': 'warning',
};

/** True for the message about syntax that only ES modules have. The message about top-level `await` has no id. */
export function needsEsm({ id, text }: Message): boolean {
  return id === 'empty-import-meta' || /^Top-level await\b/.test(text);
}

/** Clients that every Node runtime of Lambda has, as packages that `require` can load. */
const IN_THE_RUNTIME = /^@(?:aws-sdk|smithy)\//;

/**
 * Returns the reason why a bundle must be ES modules, if any: `import()` of a module that is not bundled, or such a module without a form for
 * `require`. Lambda's Node 20 and 22 reject `require` of an ES module.
 *
 * @param keepsLazy true if `import()` of a bundled module is a reason too
 */
export function findModuleFault(
  { metafile: { inputs }, warnings }: Pick<BuildResult<{ metafile: true }>, 'metafile' | 'warnings'>,
  entry: string,
  keepsLazy: boolean,
): string | undefined {
  const { resolve } = createRequire(entry);
  const unknown = warnings.find((message) => isUnknownImport(message, resolve));
  if (unknown) return `${unknown.location?.file}:${unknown.location?.line}: import() of an expression`;
  for (const [input, { imports }] of Object.entries(inputs)) {
    for (const { path, kind, external } of imports) {
      // esbuild's own helpers are external in its metafile.
      if (path === '<runtime>' || isBuiltin(path)) continue;
      if (kind === 'dynamic-import' && external) return `${input}: import() of ${path}, which is not bundled`;
      if (kind === 'dynamic-import' && keepsLazy) return `${input}: code that is loaded on first use (${path})`;
      if (external && !canRequire(path, resolve)) return `${input}: ${path} is not bundled and cannot be required`;
    }
  }
  return undefined;
}

/** True for `import(expression)`, unless the expression is a constant of the file whose module can be required. */
function isUnknownImport({ id, location }: Message, resolve: NodeJS.RequireResolve): boolean {
  if (id !== 'unsupported-dynamic-import' || !location) return false;
  const [, name = ''] = /^import\((\w+)\)/.exec(location.lineText.slice(location.column)) ?? [];
  const constant = new RegExp(`^(?:export )?const ${name} = (['"])([^'"]+)\\1;?$`, 'm');
  const [, , path] = (name !== '' && constant.exec(readFileSync(location.file, 'utf8'))) || [];
  return path === undefined || !canRequire(path, resolve);
}

function canRequire(path: string, resolve: NodeJS.RequireResolve): boolean {
  if (IN_THE_RUNTIME.test(path)) return true;
  try {
    const file = resolve(path);
    return !file.endsWith('.mjs') && !isModule(file);
  } catch {
    return false;
  }
}

/** True for a `.js` file in a package with `"type": "module"`. */
function isModule(file: string): boolean {
  if (!file.endsWith('.js')) return false;
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    if (existsSync(manifest))
      return (JSON.parse(readFileSync(manifest, 'utf8')) as { type?: unknown }).type === 'module';
    if (dirname(folder) === folder) return false;
  }
}
