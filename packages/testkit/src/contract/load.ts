import { createHash } from 'node:crypto';
import { type Dirent, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { matcherOf, parseJson } from './compare.js';
import { expand } from './expand.js';
import { AREAS, type Fixture, type Named, type Registration } from './fixture.js';
import { isJsonObject, type Json, type JsonObject } from './json.js';
import { referenceProblems } from './refer.js';

/** Why a value does not fit a JSON Schema; empty when it fits. The caller brings the validator. */
export type Validate = (schema: JsonObject, value: Json) => readonly string[];

export interface Invalid {
  /** Of the fixture, or the file's path. */
  readonly id: string;
  readonly problem: string;
}

export interface Contract {
  /** Sorted by id. */
  readonly fixtures: readonly Fixture[];
  /** Id to sentence. */
  readonly requirements: ReadonlyMap<string, string>;
  readonly invalid: readonly Invalid[];
  /** SHA-256 of all files, hexadecimal. */
  readonly digest: string;
  /** The skips of a runtime: id to reason. */
  skips(runtime: string): ReadonlyMap<string, string>;
}

interface File {
  /** With slashes, below the fixtures' folder. */
  readonly path: string;
  readonly text: string;
}

interface Catalog {
  readonly schema: JsonObject;
  readonly handlers: JsonObject;
  readonly middlewares: JsonObject;
  readonly named: JsonObject;
  readonly requirements: ReadonlyMap<string, string>;
}

/** Reads a folder of fixtures. What is wrong with them is a result, not an error. */
export function loadContract(folder: string, validate: Validate): Contract {
  const files = readJsonFiles(folder);
  const invalid: Invalid[] = [];
  const catalog = readCatalog(files, invalid);
  const fixtures: Fixture[] = [];
  for (const file of files.filter(({ path }) => isFixture(path))) {
    const { fixture, problems } = readFixture(file, catalog, validate);
    for (const problem of problems) invalid.push({ id: file.path.slice(0, -'.json'.length), problem });
    if (fixture !== undefined && problems.length === 0) fixtures.push(fixture);
  }
  const paths = new Set(files.map(({ path }) => path));
  for (const file of files.filter(({ path }) => path.startsWith('skips/'))) {
    for (const id of readTexts(file).keys()) {
      if (!paths.has(`${id}.json`)) invalid.push({ id: file.path, problem: `skips ${id}, which does not exist` });
    }
  }
  return {
    fixtures,
    requirements: catalog.requirements,
    invalid,
    digest: digestOf(files),
    skips: (runtime) => readTexts(files.find(({ path }) => path === `skips/${runtime}.json`)),
  };
}

/** Requirements that no fixture covers. */
export function uncovered(contract: Contract): string[] {
  const covered = new Set(contract.fixtures.flatMap(({ covers }) => covers ?? []));
  return [...contract.requirements.keys()].filter((id) => !covered.has(id));
}

function isFixture(path: string): boolean {
  return path.includes('/') && !/^(?:requirements\.d|skips)\//.test(path);
}

function readJsonFiles(folder: string): File[] {
  const entries: Dirent[] = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length)
        .replace(/^[\\/]/, '')
        .replaceAll('\\', '/'),
    )
    .sort()
    .map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }));
}

function readCatalog(files: readonly File[], invalid: Invalid[]): Catalog {
  const object = (path: string) => asObject(parseJson(files.find((file) => file.path === path)?.text ?? ''));
  const requirements = new Map<string, string>();
  for (const file of files.filter(({ path }) => path.startsWith('requirements.d/'))) {
    for (const [id, sentence] of readTexts(file)) {
      if (requirements.has(id)) invalid.push({ id: file.path, problem: `requirement ${id} stands twice` });
      requirements.set(id, sentence);
    }
    if (parseJson(file.text) === undefined) invalid.push({ id: file.path, problem: 'is no JSON' });
  }
  const catalog = object('handlers.json');
  return {
    schema: object('fixture.schema.json'),
    handlers: asObject(catalog.handlers),
    middlewares: asObject(catalog.middlewares),
    named: asObject(catalog.$defs),
    requirements,
  };
}

function readFixture(file: File, catalog: Catalog, validate: Validate): { fixture?: Fixture; problems: string[] } {
  const raw = parseJson(file.text);
  if (!isJsonObject(raw)) return { problems: ['is no JSON object'] };
  try {
    const expanded: JsonObject = { ...raw, setup: expand(raw.setup ?? null), input: expand(raw.input ?? null) };
    const problems = [...validate(catalog.schema, expanded)];
    if (problems.length > 0) return { problems };
    const fixture = expanded as unknown as Fixture;
    return { fixture, problems: problemsOf(fixture, file.path, catalog, validate) };
  } catch (error) {
    return { problems: [error instanceof Error ? error.message : 'cannot be expanded'] };
  }
}

function problemsOf(fixture: Fixture, path: string, catalog: Catalog, validate: Validate): string[] {
  const { id, area, covers = [], input, expect } = fixture;
  const problems: string[] = [];
  if (`${id}.json` !== path) problems.push(`id ${JSON.stringify(id)} is unlike its path`);
  if (!id.startsWith(`${area}/`)) problems.push(`area ${JSON.stringify(area)} is unlike its id`);
  if (!AREAS.includes(area)) problems.push(`unknown area ${JSON.stringify(area)}`);
  for (const requirement of covers) {
    if (!catalog.requirements.has(requirement)) problems.push(`unknown requirement ${JSON.stringify(requirement)}`);
  }
  const steps = expect.construction_error ? 0 : input.steps.length;
  if ((expect.steps ?? []).length !== steps)
    problems.push(`expects ${expect.steps?.length ?? 0} steps instead of ${steps}`);
  for (const outcome of expect.steps ?? []) checkMatchers(outcome);
  return [...problems, ...referenceProblems(input.steps), ...namedProblems(fixture, catalog, validate)];
}

/** @throws Error for a form that is no matcher */
function checkMatchers(expected: Json): void {
  if (Array.isArray(expected)) for (const item of expected as readonly Json[]) checkMatchers(item);
  if (!isJsonObject(expected)) return;
  const matcher = matcherOf(expected);
  if (matcher === '$literal') return;
  if (matcher === '$match') new RegExp(String(expected[matcher]), 'u');
  for (const member of Object.values(expected)) checkMatchers(member);
}

function namedProblems({ setup }: Fixture, catalog: Catalog, validate: Validate): string[] {
  const middlewares = [...(setup.middlewares ?? []), ...(setup.event_middlewares ?? [])];
  const handlers = (setup.register ?? []).flatMap(handlersOf);
  return [
    ...handlers.flatMap((named) => problemsOfNamed(named, 'handlers', catalog, validate)),
    ...middlewares.flatMap((named) => problemsOfNamed(named, 'middlewares', catalog, validate)),
  ];
}

/** Handlers of a registration, those of an MCP server's parts included. */
function handlersOf({ handler = null, tools = [], prompts = [], resources = [] }: Registration): Named[] {
  return [handler, ...[...tools, ...prompts, ...resources].map((item) => item.handler)];
}

function problemsOfNamed(
  named: Named,
  kind: 'handlers' | 'middlewares',
  catalog: Catalog,
  validate: Validate,
): string[] {
  if (named === null) return [];
  const { use, with: parameters = {} } = typeof named === 'string' ? { use: named } : named;
  const entry = catalog[kind][use];
  if (!isJsonObject(entry)) return [`unknown ${kind.slice(0, -1)} ${JSON.stringify(use)}`];
  const problems = validate({ ...asObject(entry.with), $defs: catalog.named }, parameters);
  const inner = [parameters.then, ...(Array.isArray(parameters.handlers) ? parameters.handlers : [])];
  return [
    ...problems.map((problem) => `${use}: ${problem}`),
    ...inner.flatMap((then) =>
      then === undefined ? [] : problemsOfNamed(then as Named, 'handlers', catalog, validate),
    ),
  ];
}

function digestOf(files: readonly File[]): string {
  const hash = createHash('sha256');
  for (const { path, text } of files) hash.update(`${path}\0${text}\0`);
  return hash.digest('hex');
}

function readTexts(file: File | undefined): Map<string, string> {
  const entries = Object.entries(asObject(parseJson(file?.text ?? '')));
  return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

function asObject(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
