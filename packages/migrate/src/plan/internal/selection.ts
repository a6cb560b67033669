import ts from 'typescript';
import { createResolver } from '../../internal/program.js';
import type { Mapping } from '../../mapping/mapping.js';
import type { ReadFile } from '../../tree/internal/read.js';

/** Files that are parsed together: enough to be fast, few enough for the memory. */
const CHUNK = 200;

export function chunksOf(files: readonly ReadFile[]): readonly (readonly ReadFile[])[] {
  return Array.from({ length: Math.ceil(files.length / CHUNK) }, (_, at) => files.slice(at * CHUNK, (at + 1) * CHUNK));
}

/** The files that contain a name of the mapping. */
export function named(files: readonly ReadFile[], mapping: Mapping): readonly ReadFile[] {
  const { modules = {}, environment = {}, metadataPrefix = {} } = mapping;
  const words = [modules, environment, metadataPrefix].flatMap((part) => Object.keys(part));
  return files.filter(({ text }) => words.some((word) => text.includes(word)));
}

/** More files are parsed in several programs, and an application of several files is rewritten only within each. */
const MOST_TOGETHER = 3000;
const FRAMEWORK =
  /['"](?:express|hono|hono\/[\w-]+|@middy\/[\w-]+|@aws-lambda-powertools\/(?:event-handler|batch)[\w/-]*)['"]/;

/** All files, if one of them has an application of an old framework. */
export function aroundFrameworks(files: readonly ReadFile[]): readonly ReadFile[] {
  const own = files.filter(({ text }) => FRAMEWORK.test(text));
  if (own.length === 0) return [];
  return files.length <= MOST_TOGETHER ? files : own;
}

const MAKES = /@sallyport\/(?:dispatch\/app|secure)\b/;

/**
 * The files that can contain registrations, in groups that do not import each other: files that mention Sallyport or a deprecated
 * registration, and files that import from a file with a container, directly or through other files.
 */
export function aroundContainers(
  files: readonly ReadFile[],
  settingsOf: (path: string) => ts.CompilerOptions,
): readonly (readonly ReadFile[])[] {
  const links = linksOf(files, settingsOf);
  const around = new Set(files.filter(({ text }) => MAKES.test(text)).map(({ path }) => path));
  for (const path of around) for (const importer of links.get(path)?.importers ?? []) around.add(importer);
  const selected = files.filter(
    ({ path, text }) => around.has(path) || /@sallyport\/|\b(?:get|handle)Strict\b/.test(text),
  );
  return grouped(selected, links);
}

interface Links {
  readonly importers: string[];
  readonly imports: string[];
}

function linksOf(files: readonly ReadFile[], settingsOf: (path: string) => ts.CompilerOptions): Map<string, Links> {
  const links = new Map<string, Links>(files.map(({ path }) => [path, { importers: [], imports: [] }]));
  const resolve = createResolver([...links.keys()], settingsOf);
  for (const { path, text } of files) {
    for (const { fileName } of ts.preProcessFile(text, true, true).importedFiles) {
      const target = resolve(fileName, path);
      if (target === undefined) continue;
      links.get(target)?.importers.push(path);
      links.get(path)?.imports.push(target);
    }
  }
  return links;
}

/** Groups linked files; small groups are combined up to the size of a chunk. */
function grouped(files: readonly ReadFile[], links: ReadonlyMap<string, Links>): readonly (readonly ReadFile[])[] {
  const waiting = new Map(files.map((file) => [file.path, file]));
  const groups: ReadFile[][] = [];
  for (const { path } of files) {
    if (!waiting.has(path)) continue;
    const linked: ReadFile[] = [];
    for (const next of linkedTo(path, links)) {
      const file = waiting.get(next);
      if (file && waiting.delete(next)) linked.push(file);
    }
    const last = groups.at(-1);
    if (last && last.length + linked.length <= CHUNK) last.push(...linked);
    else if (linked.length > 0) groups.push(linked);
  }
  return groups;
}

function* linkedTo(path: string, links: ReadonlyMap<string, Links>): Generator<string> {
  const seen = new Set([path]);
  for (const one of seen) {
    yield one;
    const { importers = [], imports = [] } = links.get(one) ?? {};
    for (const next of [...importers, ...imports]) seen.add(next);
  }
}
