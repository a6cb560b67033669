import { projectOf } from '../config/load.js';
import { stateFolderOf } from '../config/state-folder.js';
import type { ExecutionRow, ExecutionView, OperationView } from '../console/api.js';
import { usageError } from '../errors.js';
import { cleanText } from '../journal/cleaner.js';
import { type Flag, parseArguments } from './arguments.js';
import { type Around, EXIT } from './around.js';
import { needRunning, type Running } from './running.js';

/** Flags of the command. */
export const EXECUTIONS_FLAGS: Readonly<Record<string, Flag>> = {
  json: { type: 'boolean', help: 'one JSON object a line' },
  from: { type: 'text', help: 'restart: the operation from which it runs; earlier operations are kept' },
};

const ACTIONS = ['skip', 'stop', 'kill', 'restart', 'complete', 'fail'];

/**
 * `sallyport executions`: lists the executions of `sallyport dev`, failed ones first; with a name shows its operations; `skip`, `stop`, `kill`, `restart`,
 * `complete` and `fail` act on one.
 */
export async function executions(args: readonly string[], around: Around): Promise<number> {
  const { values, positionals } = parseArguments(args, EXECUTIONS_FLAGS);
  const running = await needRunning(stateFolderOf(projectOf(around.cwd)));
  const rows = cleanText((await running.get('/api/executions')) as readonly ExecutionRow[]);
  const isJson = values.json === true;
  const [first, name, ...rest] = positionals;
  if (first === undefined) {
    around.out(
      rows.map((row) => (isJson ? `${JSON.stringify({ type: 'execution', ...row })}\n` : rowText(row))).join(''),
    );
    return rows.some(({ status }) => status === 'FAILED' || status === 'TIMED_OUT') ? EXIT.failed : EXIT.ok;
  }
  if (values.from !== undefined && first !== 'restart') {
    throw usageError('--from belongs to restart: sallyport executions restart export-7 --from write');
  }
  if (values.from !== undefined) rest.unshift(String(values.from));
  if (ACTIONS.includes(first)) return act(running, rows, first, name, rest, around);
  const view = cleanText(
    (await running.get(`/api/executions/${encodeURIComponent(find(rows, first).arn)}`)) as ExecutionView,
  );
  around.out(isJson ? `${JSON.stringify({ type: 'execution', ...view })}\n` : viewText(view));
  return view.error === null ? EXIT.ok : EXIT.failed;
}

async function act(
  running: Running,
  rows: readonly ExecutionRow[],
  action: string,
  name: string | undefined,
  [operation, text]: readonly string[],
  around: Around,
): Promise<number> {
  // Without a name, `skip` ends the waits of all executions.
  const open = rows.filter(({ status }) => status === 'RUNNING');
  const chosen = name === undefined && action === 'skip' ? open : [find(rows, name)];
  for (const { arn, name: own } of chosen) {
    const body = { arn, action, ...(await operationOf(running, arn, operation)), ...valueFor(action, text) };
    await running.post('/api/executions', body);
    around.out(`${action} ${own}\n`);
  }
  return EXIT.ok;
}

/** The operation with this name. */
async function operationOf(
  running: Running,
  arn: string,
  name: string | undefined,
): Promise<{ readonly operation?: string }> {
  if (name === undefined) return {};
  const { operations } = (await running.get(`/api/executions/${encodeURIComponent(arn)}`)) as ExecutionView;
  const found = operations.find((one) => one.name === name || one.id === name);
  if (!found) throw usageError(`the execution has no operation ${JSON.stringify(name)}`);
  return { operation: found.id };
}

function valueFor(action: string, text: string | undefined): { readonly value?: unknown } {
  if (text === undefined || action === 'fail') return text === undefined ? {} : { value: text };
  try {
    return { value: JSON.parse(text) };
  } catch {
    throw usageError(`the value must be JSON: sallyport executions complete export-7 approval '{"approved":true}'`);
  }
}

function find(rows: readonly ExecutionRow[], name: string | undefined): ExecutionRow {
  const found = rows.find((row) => row.name === name || row.arn === name);
  if (found) return found;
  throw usageError(name === undefined ? 'name the execution' : `no execution has the name ${JSON.stringify(name)}`);
}

function rowText({ status, name, invocations, waitsFor, error }: ExecutionRow): string {
  const parts = [status.toLowerCase(), name, `${invocations} ${invocations === 1 ? 'invocation' : 'invocations'}`];
  if (waitsFor !== null) parts.push(`waits for ${waitsFor}`);
  if (error !== null) parts.push(error);
  return `${parts.join('  ')}\n`;
}

function viewText({ operations, ...row }: ExecutionView): string {
  return rowText(row) + operations.map((one) => `  ${operationText(one)}\n`).join('');
}

function operationText({ status, kind, name, attempt, error }: OperationView): string {
  const parts = [status.toLowerCase(), kind, name];
  if (attempt !== null && attempt > 1) parts.push(`attempt ${attempt}`);
  if (error !== null) parts.push(error);
  return parts.join('  ');
}
