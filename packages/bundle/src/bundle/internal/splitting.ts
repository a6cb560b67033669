import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Metafile } from 'esbuild';

/**
 * Returns the reason why a split bundle would behave differently from its sources, if any. esbuild runs a file that is shared with a later
 * `import()` before the importing file, and a CommonJS module in a separate file loses all its named exports.
 *
 * @see https://github.com/evanw/esbuild/issues/399
 * @see https://github.com/evanw/esbuild/issues/4377
 */
export function findSplittingFault(metafile: Metafile): string | undefined {
  const { inputs, outputs } = metafile;
  const entries = Object.values(outputs).flatMap(({ entryPoint }) => (entryPoint === undefined ? [] : [entryPoint]));
  const nameless = entries.find((entry) => inputs[entry]?.format === 'cjs');
  if (nameless !== undefined) return `import() of ${nameless}, which is CommonJS, would lose its named exports`;
  return findLateImport(metafile);
}

/** A side-effect import of the project (`import './instrument.js'`) that would run after a module that follows it. */
function findLateImport({ inputs, outputs }: Metafile): string | undefined {
  const [start = ''] = Object.keys(outputs).filter((output) => basename(output) === 'index.mjs');
  const files = inOrder(start, (output) => outputs[output]?.imports ?? []);
  const fileOf = new Map(
    files.flatMap((file, at) => Object.keys(outputs[file]?.inputs ?? {}).map((input) => [input, at])),
  );
  const sources = inOrder(outputs[start]?.entryPoint ?? '', (input) => inputs[input]?.imports ?? []);
  for (const importer of sources.filter((source) => !source.includes('node_modules/'))) {
    for (const module of effectsOf(importer, inputs)) {
      // A CommonJS module runs where it is imported, regardless of the file that contains it.
      const at = fileOf.get(inputs[module]?.format === 'cjs' ? importer : module) ?? 0;
      const followers = sources.slice(sources.indexOf(module) + 1).filter((one) => inputs[one]?.format !== 'cjs');
      const early = followers.find((one) => (fileOf.get(one) ?? at) < at);
      if (early !== undefined) return `${module}, which ${importer} imports for what it does, would run after ${early}`;
    }
  }
  return undefined;
}

interface Import {
  readonly path: string;
  readonly kind: string;
  readonly external?: boolean;
}

/** The modules that run when a file is loaded, in their order. */
function inOrder(first: string, importsOf: (name: string) => readonly Import[]): readonly string[] {
  const seen = new Set<string>();
  const ordered: string[] = [];
  const visit = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    for (const { path, kind, external } of importsOf(name)) {
      if (!external && kind !== 'dynamic-import') visit(path);
    }
    ordered.push(name);
  };
  visit(first);
  return ordered;
}

/** Side-effect imports: the modules from which a module imports no name. */
function effectsOf(importer: string, inputs: Metafile['inputs']): readonly string[] {
  const imports = (inputs[importer]?.imports ?? []).filter(
    ({ kind, external }) => kind === 'import-statement' && !external,
  );
  if (imports.length === 0) return [];
  const bare = new Set<string | undefined>();
  for (const [, , name] of readFileSync(importer, 'utf8').matchAll(/^\s*import\s*(['"])(.+?)\1/gm)) bare.add(name);
  return imports.filter(({ original }) => bare.has(original)).map(({ path }) => path);
}
