import { existsSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Loader, Plugin } from 'esbuild';

const META = /\bimport\s*\.\s*meta\s*\.\s*(?:url|dirname|filename)\b/;
const COMMON_JS = /\b__(?:dirname|filename)\b/;
/** A module that declares these variables. */
const DECLARES = /\b(?:const|let|var)\s+(?:\{[^}]*)?__(?:dirname|filename)\b/;
const LOADERS: Readonly<Record<string, Loader>> = {
  '.ts': 'ts',
  '.mts': 'ts',
  '.cts': 'ts',
  '.tsx': 'tsx',
  '.js': 'js',
  '.mjs': 'js',
  '.cjs': 'js',
  '.jsx': 'jsx',
};

/** Members of `import.meta`, and the variables of each file that replace them. */
export const OWN_PATH_NAMES = {
  'import.meta.url': 'sallyportUrl',
  'import.meta.dirname': 'sallyportDirname',
  'import.meta.filename': 'sallyportFilename',
};

/**
 * Keeps the location of each bundled file, so that it finds the files next to it: `import.meta.url` and its relatives, and in CommonJS
 * files `__dirname` and `__filename`. A deployment without a bundler has the same values, relative to its task root.
 */
export const ownPaths: Plugin = {
  name: 'own-paths',
  setup({ onLoad }) {
    const isCommonJs = createFormats();
    onLoad({ filter: /\.[cm]?[jt]sx?$/, namespace: 'file' }, ({ path }) => {
      const bytes = readBytes(path);
      // Most of the hundreds of files of a dependency need no text.
      if (!bytes.includes('__') && !bytes.includes('meta')) return undefined;
      const text = bytes.toString('utf8');
      const values = [
        ...(META.test(text) ? metaOf(path) : []),
        ...(COMMON_JS.test(text) && !DECLARES.test(text) && isCommonJs(path)
          ? [`__filename=${JSON.stringify(path)}`, `__dirname=${JSON.stringify(dirname(path))}`]
          : []),
      ];
      if (values.length === 0) return undefined;
      return { contents: withVariables(text, values), loader: LOADERS[extname(path)] ?? 'js' };
    });
  },
};

/** One read of a small file costs less than the promise for it. */
function readBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}

function metaOf(path: string): readonly string[] {
  return [
    `sallyportUrl=${JSON.stringify(pathToFileURL(path).href)}`,
    `sallyportFilename=${JSON.stringify(path)}`,
    `sallyportDirname=${JSON.stringify(dirname(path))}`,
  ];
}

/** The variables are on the first line, so that the lines of a stack equal the lines of the source. */
function withVariables(text: string, values: readonly string[]): string {
  const hashbang = /^#!.*\n/.exec(text)?.[0] ?? '';
  return `${hashbang}var ${values.join()};${text.slice(hashbang.length)}`;
}

/** Finds the format of files as Node does: by the extension, else by the nearest `package.json`. */
function createFormats(): (path: string) => boolean {
  const known = new Map<string, boolean>();
  const isModuleFolder = (folder: string): boolean => {
    const found = known.get(folder);
    if (found !== undefined) return found;
    const manifest = join(folder, 'package.json');
    const isModule = existsSync(manifest)
      ? /"type"\s*:\s*"module"/.test(readFileSync(manifest, 'utf8'))
      : folder !== dirname(folder) && isModuleFolder(dirname(folder));
    known.set(folder, isModule);
    return isModule;
  };
  return (path) => /\.c[jt]s$/.test(path) || (!/\.m[jt]s$/.test(path) && !isModuleFolder(dirname(path)));
}
