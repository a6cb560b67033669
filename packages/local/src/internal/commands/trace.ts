import { projectOf } from '../config/load.js';
import { stateFolderOf } from '../config/state-folder.js';
import { usageError } from '../errors.js';
import { cleanText } from '../journal/cleaner.js';
import type { TraceNode, TraceView } from '../traces/trace-view.js';
import { type Flag, parseArguments } from './arguments.js';
import { type Around, EXIT } from './around.js';
import { needRunning } from './running.js';

const FLAGS: Readonly<Record<string, Flag>> = { json: { type: 'boolean', help: 'one JSON object' } };

/** `sallyport trace <id>`: the invocations and spans of a trace as a tree, its failures first. */
export async function trace(args: readonly string[], around: Around): Promise<number> {
  const { values, positionals } = parseArguments(args, FLAGS);
  const [id] = positionals;
  if (id === undefined || positionals.length > 1) {
    throw usageError('name the trace: sallyport trace 4bf92f3577b34da6a3ce929d0e0e4736');
  }
  const running = await needRunning(stateFolderOf(projectOf(around.cwd)));
  const found = cleanNodes((await running.get(`/api/traces/${encodeURIComponent(id)}`)) as TraceView);
  around.out(values.json ? `${JSON.stringify({ type: 'trace', ...found })}\n` : traceText(found));
  return found.nodes.some(({ error }) => error !== null) ? EXIT.failed : EXIT.ok;
}

/** `--reveal` is for the page alone. Ids are kept: the sanitizer would replace them. */
function cleanNodes(view: TraceView): TraceView {
  const nodes = view.nodes.map(({ spanId, ...node }) => ({ ...cleanText(node), spanId }));
  return { ...view, nodes };
}

function traceText({ id, startedAt, endedAt, nodes, leftOut }: TraceView): string {
  const failed = nodes.filter(({ error }) => error !== null);
  const lines = [
    `${id}  ${millis(endedAt - startedAt)}`,
    ...failed.map((node) => `failed  #${node.invocation} ${node.name}: ${node.error}`),
    ...nodes.map((node) => `${'  '.repeat(node.depth)}${nodeText(node)}`),
  ];
  if (leftOut > 0) lines.push(`${leftOut} more are left out`);
  return `${lines.join('\n')}\n`;
}

function nodeText({ kind, invocation, name, startedAt, endedAt, sentAt, error }: TraceNode): string {
  const parts = [
    kind === 'invocation' ? `#${invocation} ${name}` : name,
    endedAt === null ? 'runs' : millis(endedAt - startedAt),
  ];
  if (sentAt !== null) parts.push(`waited ${millis(startedAt - sentAt)}`);
  if (error !== null) parts.push(error);
  return parts.join('  ');
}

/** `0.3 ms`, `41 ms`. */
function millis(ms: number): string {
  return `${ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms)} ms`;
}
