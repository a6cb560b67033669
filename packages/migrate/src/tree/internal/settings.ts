import { readFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import ts from 'typescript';

/** Finds the `paths` for a file: from the nearest readable `tsconfig.json`. */
export function settingsReader(root: string): (path: string) => ts.CompilerOptions {
  const known = new Map<string, ts.CompilerOptions>();
  const inFolder = (folder: string): ts.CompilerOptions => {
    let found = known.get(folder);
    if (found === undefined) {
      found = readSettings(root, folder) ?? (folder === '.' ? {} : inFolder(posix.dirname(folder)));
      known.set(folder, found);
    }
    return found;
  };
  return (path) => inFolder(posix.dirname(path));
}

function readSettings(root: string, folder: string): ts.CompilerOptions | undefined {
  const file = join(root, folder, 'tsconfig.json');
  const { config, error } = ts.readConfigFile(file, (name) => {
    try {
      return readFileSync(name, 'utf8');
    } catch {
      return undefined;
    }
  });
  if (error !== undefined) return undefined;
  const empty = { ...ts.sys, readDirectory: () => [] };
  const { options } = ts.parseJsonConfigFileContent(config, empty, dirname(file), undefined, file);
  const fromRoot = (path: unknown) => relative(root, String(path)).split(sep).join('/');
  return {
    ...(options.baseUrl !== undefined && { baseUrl: fromRoot(options.baseUrl) }),
    ...(options.paths && { paths: options.paths, pathsBasePath: fromRoot(options.pathsBasePath ?? options.baseUrl) }),
  };
}
