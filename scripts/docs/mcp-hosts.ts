import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../check/command.js';

/** The results of `npm run mcp:hosts`. */
export interface HostResults {
  readonly date: string;
  readonly rows: readonly {
    readonly package: string;
    readonly version: string;
    readonly mode?: string;
    /** `null` if the library has no such feature. */
    readonly cells: Readonly<Record<string, { readonly works: boolean; readonly how: string } | null>>;
  }[];
}

const COLUMNS = {
  signIn: 'sign-in',
  questionStreaming: 'question, door that streams',
  questionBuffered: 'question, buffered door',
  progress: 'progress',
  resume: 'closed stream',
  task: 'task',
  app: 'app',
};
const BLOCK = /(<!-- hosts: .*? -->\n).*?(<!-- \/hosts -->)/s;
const JUDGE = 'packages/mcp/judge';

/** The results of the last run. */
export function readHostResults(root: string): HostResults {
  return JSON.parse(readFileSync(join(root, JUDGE, 'hosts/results.json'), 'utf8')) as HostResults;
}

/** The versions of the client libraries in use: versions of the lock file, and of the libraries that the judge installs for a run. */
export function readHostVersions(root: string): readonly string[] {
  const lock = readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8');
  const locked = ['sdk', 'client'].map((name) => {
    const entry = new RegExp(
      `^    '@modelcontextprotocol/${name}':\\n      specifier: .*\\n      version: (\\S+)$`,
      'm',
    );
    return `@modelcontextprotocol/${name} ${entry.exec(lock)?.[1]}`;
  });
  const versions = readFileSync(join(root, JUDGE, 'clients/versions.json'), 'utf8');
  const installed = Object.entries(JSON.parse(versions) as Record<string, string>)
    // Libraries that an adapter needs next to it.
    .filter(([name]) => !/^@langchain\/(core|langgraph)$/.test(name))
    .map(([name, version]) => /^npm:(.+)@(.+)$/.exec(version)?.slice(1).join(' ') ?? `${name} ${version}`);
  return [...locked, ...installed];
}

/** Rows for versions that the judge does not use any more, and libraries without a row. */
export function checkHosts({ rows }: HostResults, versions: readonly string[]): readonly string[] {
  const judged = new Set(rows.map((row) => `${row.package} ${row.version}`));
  return [
    ...[...judged].filter((row) => !versions.includes(row)).map((row) => `${row} is not the version in use`),
    ...versions.filter((version) => !judged.has(version)).map((version) => `${version} has no row`),
  ].map((fault) => `${fault}: npm run mcp:hosts`);
}

/** The page with its table of hosts. */
export function renderHosts(page: string, { date, rows }: HostResults): string {
  const head = ['client', 'version', ...Object.values(COLUMNS)];
  const lines = rows.map(({ package: name, version, mode, cells }) => [
    `\`${name}\``,
    mode ? `${version}, \`${mode}\`` : version,
    ...Object.keys(COLUMNS).map((column) => {
      const cell = cells[column];
      return cell ? `${cell.works ? 'works' : 'no'}: ${cell.how}` : '–';
    }),
  ]);
  const table = [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  return page.replace(BLOCK, (_, open: string, close: string) => `${open}As of ${date}:\n\n${table}\n${close}`);
}

/** `docs/mcp.md` with the table of the last run. */
export function renderMcpPage(): string {
  return renderHosts(readFileSync(join(ROOT, 'docs/mcp.md'), 'utf8'), readHostResults(ROOT));
}
