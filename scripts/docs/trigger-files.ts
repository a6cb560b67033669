// The files that follow from the triggers of packages/triggers: `kinds/<kind>.ts` runs, `catalogue/<kind>.ts` describes.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import type { CatalogueEntry } from '../../packages/triggers/src/catalogue/entry.js';
import { ROOT } from '../check/command.js';

const SOURCE = 'packages/triggers/src';
const HEAD = (from: string) =>
  `// Made from ${from} by \`npm run docs\`; the gate \`pages\` fails when the two differ. Do not edit.\n`;

/** The kinds that run, by their files. */
export const KINDS: readonly string[] = filesOf('kinds');

/** The files of the catalogue that are named after a kind. */
const DESCRIBED: readonly string[] = filesOf('catalogue').filter((name) => !['entry', 'table'].includes(name));

function filesOf(folder: string): readonly string[] {
  const names = readdirSync(join(ROOT, SOURCE, folder)).filter((name) => name.endsWith('.ts'));
  return names.map((name) => name.slice(0, -'.ts'.length)).sort();
}

/** The entries of the catalogue by their files, without the generated table, which may be stale. */
export const ENTRIES: ReadonlyMap<string, CatalogueEntry> = await readEntries();

async function readEntries(): Promise<ReadonlyMap<string, CatalogueEntry>> {
  const entries = new Map<string, CatalogueEntry>();
  // One after the other: the test runner cannot load a module twice concurrently.
  for (const kind of DESCRIBED) {
    const module = (await import(`../../${SOURCE}/catalogue/${kind}.js`)) as Readonly<Record<string, CatalogueEntry>>;
    const entry = module[constantOf(kind)];
    if (!entry) throw new Error(`${SOURCE}/catalogue/${kind}.ts must export ${constantOf(kind)} = describeTrigger(…)`);
    entries.set(kind, entry);
  }
  return entries;
}

/** `s3-batch` is `S3_BATCH`. */
function constantOf(kind: string): string {
  return kind.toUpperCase().replaceAll('-', '_');
}

/** A name that a module exports. */
interface Exported {
  readonly name: string;
  readonly isType: boolean;
}

/** The names that a module exports, except names with the TSDoc tag `@internal`. */
function exportsOf(path: string): readonly Exported[] {
  const tree = ts.createSourceFile(path, readFileSync(join(ROOT, SOURCE, path), 'utf8'), ts.ScriptTarget.Latest, true);
  return tree.statements.flatMap((statement): readonly Exported[] => {
    if (ts.isExportDeclaration(statement) && statement.exportClause && ts.isNamedExports(statement.exportClause)) {
      return statement.exportClause.elements.map(({ name, isTypeOnly }) => {
        return { name: name.text, isType: isTypeOnly || statement.isTypeOnly };
      });
    }
    const isExported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    if (!isExported || ts.getJSDocTags(statement).some(({ tagName }) => tagName.text === 'internal')) return [];
    if (ts.isVariableStatement(statement)) {
      return statement.declarationList.declarations.map(({ name }) => ({ name: name.getText(), isType: false }));
    }
    const isType = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
    const named = isType || ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement);
    return named && statement.name ? [{ name: statement.name.text, isType }] : [];
  });
}

/** The names that the root entry and `testing` export. */
export function exportedNames(): ReadonlySet<string> {
  const files = [...DESCRIBED.map((kind) => `catalogue/${kind}.ts`), ...KINDS.map((kind) => `kinds/${kind}.ts`)];
  return new Set(files.flatMap((file) => exportsOf(file).map(({ name }) => name)));
}

/** An `export … from` as the formatter writes it. */
function exportLine(path: string): string {
  const names = exportsOf(`${path}.ts`).toSorted((a, b) => compareNames(a.name, b.name));
  const words = names.map(({ name, isType }) => (isType ? `type ${name}` : name));
  const line = `export { ${words.join(', ')} } from './${path}.js';`;
  return line.length <= 120
    ? `${line}\n`
    : `export {\n${words.map((word) => `  ${word},\n`).join('')}} from './${path}.js';\n`;
}

/** The order of the formatter: without regard to case, and capital letters before small ones at the first difference. */
function compareNames(a: string, b: string): number {
  for (let index = 0; index < Math.min(a.length, b.length); index += 1) {
    const [left = '', right = ''] = [a[index], b[index]];
    if (left === right) continue;
    const [low, high] = [left.toLowerCase(), right.toLowerCase()];
    return low === high ? (left < right ? -1 : 1) : low < high ? -1 : 1;
  }
  return a.length - b.length;
}

/** The exports of the root entry that belong to no single trigger. */
const SHARED = `export type {
  EventContext,
  EventHandler,
  EventMiddleware,
  EventSource,
  KeylessEventContext,
} from '@sallyport/streams/delivery';
export type { TriggersErrorCode } from './errors.js';
export { type Drop, drop } from './internal/drop.js';
export type { AwsSender, SenderOptions } from './internal/sender.js';
export { type SurfaceCondition, type SurfaceRow, TriggerSurface } from './internal/surface.js';
`;

function renderIndex(): string {
  return HEAD('kinds/*.ts') + SHARED + KINDS.map((kind) => exportLine(`kinds/${kind}`)).join('');
}

function renderTesting(): string {
  const builders = DESCRIBED.filter((kind) => exportsOf(`catalogue/${kind}.ts`).length > 0);
  return HEAD('catalogue/*.ts') + builders.map((kind) => exportLine(`catalogue/${kind}`)).join('');
}

function renderTable(): string {
  const key = (kind: string) => (/^\w+$/.test(kind) ? kind : `'${kind}'`);
  return [
    HEAD('the files of this folder').trimEnd(),
    ...[...DESCRIBED, 'entry'].toSorted().map((name) => {
      return name === 'entry'
        ? "import type { CatalogueEntry } from './entry.js';"
        : `import { ${constantOf(name)} } from './${name}.js';`;
    }),
    '',
    '/** The kinds of the triggers of this package. */',
    'export type CatalogueKind =',
    `${DESCRIBED.map((kind) => `  | '${kind}'`).join('\n')};`,
    '',
    '/** Every trigger of this package for tests and tools, by the kind of its events. */',
    'export const CATALOGUE: { readonly [K in CatalogueKind]: CatalogueEntry<K> } = {',
    ...DESCRIBED.map((kind) => `  ${key(kind)}: ${constantOf(kind)},`),
    '};',
    '',
  ].join('\n');
}

const MARKED = /<!-- triggers -->\n[\s\S]*?<!-- \/triggers -->/;

/** The table of exports in the README of the package. */
export function renderTriggerRows(text: string): string {
  const rows = [...ENTRIES.values()].flatMap(({ docs }) =>
    docs.rows.map(([exported, what]) => `| ${exported} | ${what} |`),
  );
  const builders = [...ENTRIES.keys()].flatMap((kind) =>
    exportsOf(`catalogue/${kind}.ts`).flatMap(({ name }) => (name.startsWith('build') ? [`\`${name}\``] : [])),
  );
  const table = [
    '| export | what it does |',
    '|---|---|',
    ...rows,
    `| \`/testing\`: ${builders.join(', ')} | events for tests |`,
  ];
  return text.replace(MARKED, () => `<!-- triggers -->\n${table.join('\n')}\n<!-- /triggers -->`);
}

/** The adapters of fixtures: those of the fixed table and of MCP, and every trigger. */
function surfaceNames(): readonly string[] {
  const fixed = [
    'http',
    'appsync',
    'appsync-batch',
    'websocket',
    'queue',
    'table-stream',
    'stream',
    'topic',
    'event-bus',
  ];
  return [...fixed, 'mcp', ...DESCRIBED, 'agentcore', 'agentcore-interceptor'];
}

function renderSurfaceName(): string {
  const names = surfaceNames().map((name) => `\n  | '${name}'`);
  return `${HEAD('the catalogue of @sallyport/triggers')}\n/** The adapters that a fixture may register with. */\nexport type SurfaceName =${names.join('')};\n`;
}

function renderSchema(): string {
  const text = readFileSync(join(ROOT, 'contract-fixtures/fixture.schema.json'), 'utf8');
  const names = surfaceNames().map((name) => `\n            "${name}"`);
  return text.replace(
    /("the adapter to register with",\s+"enum": \[)[^\]]*?(\s+\])/,
    (_, head: string, tail: string) => {
      return `${head}${names.join(',')}${tail}`;
    },
  );
}

function renderShapes(): string {
  const quoted = (text: string) => `'${text}'`;
  const shapes = [...ENTRIES.values()].flatMap(({ hint }) => (hint ? [`  [${hint.map(quoted).join(', ')}],`] : []));
  return [
    HEAD('the catalogue of @sallyport/triggers'),
    '/** Events of opt-in triggers: the nearest row, a name, the place of a tag, and the tags. */',
    'export const OPT_IN_SHAPES: readonly (readonly [near: string, name: string, place: string, ...tags: string[]])[] = [',
    ...shapes,
    '];',
    '',
  ].join('\n');
}

/** Every generated file with its content, except the README. */
export const TRIGGER_FILES: readonly { readonly file: string; readonly render: () => string }[] = [
  { file: `${SOURCE}/catalogue/table.ts`, render: renderTable },
  { file: `${SOURCE}/index.ts`, render: renderIndex },
  { file: `${SOURCE}/testing.ts`, render: renderTesting },
  { file: 'packages/dispatch/src/explain/internal/opt-in-shapes.ts', render: renderShapes },
  { file: 'packages/contract/src/fixtures/surface-name.ts', render: renderSurfaceName },
  { file: 'contract-fixtures/fixture.schema.json', render: renderSchema },
];
