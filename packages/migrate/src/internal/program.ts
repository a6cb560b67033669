import { posix } from 'node:path';
import ts from 'typescript';
import type { ReadFile } from '../tree/internal/read.js';

/** The code of a service, parsed, with the names in it resolved within the service. */
export interface CodeProgram {
  readonly checker: ts.TypeChecker;
  /** By path from the root. */
  readonly sources: ReadonlyMap<string, ts.SourceFile>;
  readonly program: ts.Program;
}

// A root that exists on no machine: nothing outside of the given files is found.
const ROOT = '/service/';

const OPTIONS: ts.CompilerOptions = {
  allowJs: true,
  noLib: true,
  types: [],
  jsx: ts.JsxEmit.Preserve,
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  moduleDetection: ts.ModuleDetectionKind.Force,
};

/**
 * Parses the files. Neither the service's compiler nor its dependencies are needed: only imports between the files are resolved.
 *
 * @param settingsOf the compiler options of a file that decide where its imports lead (`baseUrl`, `paths`)
 * @param cache parsed files of an earlier call, which are taken where the text is the same
 */
export function parseCode(
  files: readonly ReadFile[],
  settingsOf: (path: string) => ts.CompilerOptions,
  cache: Map<string, ts.SourceFile> = new Map(),
): CodeProgram {
  const texts = new Map(files.map(({ path, text }) => [ROOT + path, text]));
  const host = createHost(texts, settingsOf, cache);
  const program = ts.createProgram([...texts.keys()], OPTIONS, host);
  const sources = files.flatMap(({ path }): [string, ts.SourceFile][] => {
    const source = program.getSourceFile(ROOT + path);
    return source ? [[path, source]] : [];
  });
  return { program, checker: program.getTypeChecker(), sources: new Map(sources) };
}

/** The path from the root of a file of the program. */
export function pathOf(source: ts.SourceFile): string {
  return source.fileName.slice(ROOT.length);
}

function createHost(
  texts: ReadonlyMap<string, string>,
  settingsOf: (path: string) => ts.CompilerOptions,
  cache: Map<string, ts.SourceFile>,
): ts.CompilerHost {
  const directories = new Set([...texts.keys()].flatMap(foldersOf));
  const host: ts.CompilerHost = {
    fileExists: (name) => texts.has(name),
    readFile: (name) => texts.get(name),
    directoryExists: (name) => directories.has(name.replace(/\/$/, '')),
    getDirectories: () => [],
    getSourceFile(name, options) {
      const text = texts.get(name);
      const known = cache.get(name);
      if (text === undefined || known?.text === text) return text === undefined ? undefined : known;
      const source = ts.createSourceFile(name, text, options, true);
      cache.set(name, source);
      return source;
    },
    getDefaultLibFileName: () => 'lib.d.ts',
    writeFile: () => {},
    getCurrentDirectory: () => ROOT,
    getCanonicalFileName: (name) => name,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => '\n',
    resolveModuleNameLiterals: (literals, containing) =>
      literals.map(({ text }) => {
        const options = { ...OPTIONS, ...absolute(settingsOf(containing.slice(ROOT.length))) };
        return ts.resolveModuleName(text, containing, options, host);
      }),
  };
  return host;
}

function foldersOf(file: string): readonly string[] {
  const folder = posix.dirname(file);
  return folder === '/' || folder === '.' ? [] : [folder, ...foldersOf(folder)];
}

/** `baseUrl` and `paths` are kept from the root, like the names of files. */
function absolute({ baseUrl, paths, pathsBasePath }: ts.CompilerOptions): ts.CompilerOptions {
  if (paths === undefined && baseUrl === undefined) return {};
  const base = posix.join(ROOT, baseUrl ?? String(pathsBasePath ?? ''));
  return { ...(baseUrl !== undefined && { baseUrl: base }), ...(paths && { paths, pathsBasePath: base }) };
}
