import { posix } from 'node:path';
import ts from 'typescript';
import type { ReadFile } from '../tree/internal/read.js';

/** The parsed code of a service, with names resolved within the service. */
export interface CodeProgram {
  readonly checker: ts.TypeChecker;
  /** By path from the root. */
  readonly sources: ReadonlyMap<string, ts.SourceFile>;
  readonly program: ts.Program;
}

// A root that exists on no machine, so only the given files are found.
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

/** Finds the target of an import among given files. */
type Resolver = (specifier: string, from: string) => ts.ResolvedModuleWithFailedLookupLocations;

/**
 * Resolves imports between the files of a service.
 *
 * @param settingsOf the compiler options of a file that affect its imports (`baseUrl`, `paths`)
 */
export function createResolver(
  paths: readonly string[],
  settingsOf: (path: string) => ts.CompilerOptions,
): (specifier: string, from: string) => string | undefined {
  const resolve = resolverOf(new Set(paths.map((path) => ROOT + path)), settingsOf);
  return (specifier, from) => resolve(specifier, ROOT + from).resolvedModule?.resolvedFileName.slice(ROOT.length);
}

function resolverOf(names: ReadonlySet<string>, settingsOf: (path: string) => ts.CompilerOptions): Resolver {
  const directories = new Set<string>();
  for (const name of names) {
    for (let at = posix.dirname(name); at !== '/' && !directories.has(at); at = posix.dirname(at)) directories.add(at);
  }
  const host: ts.ModuleResolutionHost = {
    fileExists: (name) => names.has(name),
    readFile: () => undefined,
    directoryExists: (name) => directories.has(name.replace(/\/$/, '')),
  };
  return (specifier, from) => {
    const options = { ...OPTIONS, ...absolute(settingsOf(from.slice(ROOT.length))) };
    return ts.resolveModuleName(specifier, from, options, host);
  };
}

/**
 * Parses the files. Neither the service's compiler nor its dependencies are needed: only imports between the files are resolved.
 *
 * @param settingsOf as for {@link createResolver}
 */
export function parseCode(files: readonly ReadFile[], settingsOf: (path: string) => ts.CompilerOptions): CodeProgram {
  const texts = new Map(files.map(({ path, text }) => [ROOT + path, text]));
  const program = ts.createProgram([...texts.keys()], OPTIONS, createHost(texts, settingsOf));
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
): ts.CompilerHost {
  const resolve = resolverOf(new Set(texts.keys()), settingsOf);
  return {
    fileExists: (name) => texts.has(name),
    readFile: (name) => texts.get(name),
    getDirectories: () => [],
    getSourceFile(name, options) {
      const text = texts.get(name);
      return text === undefined ? undefined : ts.createSourceFile(name, text, options, true);
    },
    getDefaultLibFileName: () => 'lib.d.ts',
    writeFile: () => {},
    getCurrentDirectory: () => ROOT,
    getCanonicalFileName: (name) => name,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => '\n',
    resolveModuleNameLiterals: (literals, containing) => literals.map(({ text }) => resolve(text, containing)),
  };
}

/** `baseUrl` and `paths` are kept from the root, like the names of files. */
function absolute({ baseUrl, paths, pathsBasePath }: ts.CompilerOptions): ts.CompilerOptions {
  if (paths === undefined && baseUrl === undefined) return {};
  const base = posix.join(ROOT, baseUrl ?? String(pathsBasePath ?? ''));
  return { ...(baseUrl !== undefined && { baseUrl: base }), ...(paths && { paths, pathsBasePath: base }) };
}
