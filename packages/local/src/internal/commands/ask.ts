import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from '../config/config.js';
import { loadConfig, projectOf } from '../config/load.js';
import { stateFolderOf } from '../config/state-folder.js';
import type { Inventory } from '../console/api.js';
import { usageError } from '../errors.js';
import { startHost } from '../host/create-host.js';
import { toText } from '../runtime/failures.js';
import { type Parsed, parseArguments, RUN_FLAGS, toFlags } from './arguments.js';
import { type Around, EXIT } from './around.js';
import { findRunning } from './running.js';

/** A service's description of itself, read from a run or from an environment that is started for it. */
export interface Answers {
  readonly inventory: Inventory;
  explain(event: unknown): Promise<unknown>;
  openapi(): Promise<unknown>;
}

const FLAGS = { ...RUN_FLAGS, entry: { type: 'text', help: 'the entry file (default src/lambda.ts)' } } as const;

/** `sallyport routes`. */
export async function routes(args: readonly string[], around: Around): Promise<number> {
  const asked = readAsked(args, around, 0);
  const { parsed } = asked;
  return answered(asked, around, async ({ inventory }) => {
    if (parsed.values.json) around.out(`${JSON.stringify(inventory)}\n`);
    else around.out(inventoryTable(inventory));
    return EXIT.ok;
  });
}

/** `sallyport openapi`. */
export async function openapi(args: readonly string[], around: Around): Promise<number> {
  const asked = readAsked(args, around, 0);
  const { parsed } = asked;
  return answered(asked, around, async (answers) => {
    const document = await answers.openapi();
    if (document === null || document === undefined) {
      around.err('the function describes no HTTP operations: only SecureApp writes a document\n');
      return EXIT.failed;
    }
    around.out(`${JSON.stringify(document, null, parsed.values.json ? undefined : 2)}\n`);
    return EXIT.ok;
  });
}

/** `sallyport explain <file|->`: shows how an event is classified, and which handler would receive it. */
export async function explain(args: readonly string[], around: Around): Promise<number> {
  const asked = readAsked(args, around, 1);
  const { parsed } = asked;
  const event = await readEvent(parsed.positionals[0], around);
  return answered(asked, around, async (answers) => {
    const explanation = (await answers.explain(event)) as {
      readonly kind: string | null;
      readonly error: string | null;
      readonly target: unknown;
    };
    if (parsed.values.json) around.out(`${JSON.stringify(explanation)}\n`);
    else around.out(`${explanationText(explanation)}\n`);
    return explanation.kind === null || explanation.error !== null ? EXIT.failed : EXIT.ok;
  });
}

function explanationText({
  kind,
  error,
  target,
  ...more
}: {
  kind: string | null;
  error: string | null;
  target: unknown;
}): string {
  const lines = [`kind    ${kind ?? 'none'}`];
  if (target) lines.push(`target  ${JSON.stringify(target)}`);
  if (error) lines.push(`error   ${error}`);
  const { nearest } = more as { readonly nearest?: unknown };
  if (nearest) lines.push(`nearest ${JSON.stringify(nearest)}`);
  return lines.join('\n');
}

function inventoryTable({ routes, triggers, mcp, isOurs }: Inventory): string {
  if (!isOurs) return 'not a Sallyport handler: routes and triggers are unknown\n';
  const rows = [
    ...routes.map(({ surface, name, posture, scopes }) => [surface, name, posture ?? '', scopes.join(' ')]),
    ...triggers.map(({ kind, name, selector }) => [kind, name || JSON.stringify(selector ?? {}), '', '']),
    ...mcp.map((path) => ['mcp', path, '', '']),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(0, ...rows.map((row) => (row[column] ?? '').length)));
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

interface Asked {
  readonly parsed: Parsed;
  /** The folder for the files of its run. */
  readonly stateFolder: string;
  /** Read only if no run is found. */
  readonly config: () => Config;
}

function readAsked(args: readonly string[], around: Around, files: number): Asked {
  const parsed = parseArguments(args, FLAGS);
  if (parsed.positionals.length !== files)
    throw usageError(files === 0 ? 'this command accepts no argument' : 'name one file, or - for standard input');
  const entry = parsed.values.entry as string | undefined;
  const flags = toFlags({ ...parsed, positionals: entry === undefined ? [] : [entry] }, FLAGS);
  const stateFolder = stateFolderOf(projectOf(around.cwd, entry));
  return { config: () => loadConfig(around.cwd, flags), stateFolder, parsed };
}

/** Calls the run of the project. If none runs, starts an environment for the call and stops it afterwards. */
async function answered(
  { stateFolder, config }: Asked,
  around: Around,
  use: (answers: Answers) => Promise<number>,
): Promise<number> {
  const running = await findRunning(stateFolder);
  if (running) {
    return use({
      inventory: (await running.get('/api/inventory')) as Inventory,
      explain: (event) => running.post('/api/explain', { event }),
      openapi: () => running.get('/api/openapi'),
    });
  }
  const host = await startHost(
    { ...config(), port: 0, state: false },
    { watch: false, without: ['doors', 'console', 'sources'] },
  );
  try {
    const code = host.invoker.code();
    if (code.state === 'broken') {
      around.err(`${code.problems.map(toText).join('\n')}\n`);
      return EXIT.build;
    }
    if (code.state === 'ready' && code.problem !== undefined) {
      around.err(`the service does not load: ${code.problem}\n`);
      return EXIT.build;
    }
    const inspection = host.inspection();
    return await use({
      inventory: inspection,
      explain: (event) => inspection.explain(event),
      openapi: () => inspection.openapi(),
    });
  } finally {
    await host.stop();
  }
}

/**
 * The JSON of a file or of standard input.
 *
 * @throws FrameworkError `local.usage`
 */
export async function readEvent(file: string | undefined, around: Around): Promise<unknown> {
  if (file === undefined) throw usageError('name a file with the event, or - for standard input');
  let text: string;
  try {
    text = file === '-' ? await around.input() : readFileSync(resolve(around.cwd, file), 'utf8');
  } catch {
    throw usageError(`the file ${file} does not exist`);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw usageError(`${file === '-' ? 'standard input' : file} is not valid JSON: ${(error as Error).message}`);
  }
}
