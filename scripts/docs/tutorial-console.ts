/** The facts that docs/tutorial.md shows in the console, read from the HTTP API of the console after the requests of the page. */
import type { ConsoleApi, InvocationRow } from '../../packages/local/src/internal/console/api.js';
import { type Console, until } from '../release/asked.js';

const ADA = { sub: 'ada', scopes: ['notes:read', 'notes:write'] };
const FIND = { name: 'find_notes', arguments: { word: 'first' } };
const CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: FIND };
const MCP_HEADERS = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' };

/**
 * The facts of each step, in order.
 *
 * @param breakCreate writes the error of the third step into the handler
 */
export async function readConsole(call: Console, breakCreate: () => void): Promise<readonly unknown[]> {
  const rows = await ended(call);
  const [inventory, sources] = await Promise.all([call('GET /api/inventory'), call('GET /api/sources')]);
  const rowOf = (summary: string) => rows.findLast((row) => row.summary === summary);
  const postures = inventory.routes.map(({ name, posture, scopes }) => `${name} ${posture} ${scopes.join(' ')}`.trim());
  const created = rowOf('201');
  const caused = rows.find(({ causedBy }) => causedBy === created?.id);
  const trace = await call(`GET /api/traces/${created?.traceId}` as 'GET /api/traces/{id}');
  const [dead] = sources.find(({ name }) => name === 'reminders')?.deadLetters ?? [];
  const tool = await call('POST /api/send', {
    ...{ kind: 'http', target: 'POST /mcp', as: ADA, options: { json: CALL, headers: MCP_HEADERS } },
  });
  return [
    [rowOf('200')?.origin.as, gateOf(rowOf('401'))],
    postures.find((line) => line.startsWith('GET /notes ')),
    await failAfter(call, breakCreate),
    [dead?.preview, rows.flatMap(({ failures }) => failures).find(({ record }) => record === dead?.id)?.type],
    [caused?.origin.target, trace.nodes.map(({ name, depth }) => `${depth} ${name}`)],
    sources.filter(({ kind }) => kind === 'schedule').map(({ name, done }) => `${name} ${done}`),
    [inventory.mcp, JSON.parse(tool.invocations[0]?.client?.body ?? '{}').result?.structuredContent],
    [postures.find((line) => line.startsWith('POST /mcp')), inventory.triggers.map(triggerLine)],
  ];
}

function triggerLine({ kind, name, selector }: ConsoleApi['GET /api/inventory']['answer']['triggers'][number]): string {
  return `${kind} ${name || JSON.stringify(selector)}`;
}

function gateOf(row: InvocationRow | undefined): readonly string[] {
  return (row?.gate ?? []).map(({ required, outcome }) => `${outcome}, needs ${required.join(' ')}`);
}

/** All invocations, once none runs. */
function ended(call: Console): Promise<readonly InvocationRow[]> {
  return until(async () => {
    const rows = await call('GET /api/invocations');
    return rows.every(({ ms }) => ms !== null) ? rows : undefined;
  });
}

/** The parts of an error that the client and the console receive, after a save with which a handler throws it. */
async function failAfter(call: Console, save: () => void): Promise<readonly unknown[]> {
  save();
  const { client, outcome } = await until(async () => {
    const options = { json: { id: 'oops', text: 'oops' } };
    const { invocations } = await call('POST /api/send', { kind: 'http', target: 'POST /notes', as: ADA, options });
    return invocations.find((one) => one.client?.status === 500);
  });
  const { failures, logs } = await call(`GET /api/invocations/${outcome.id}` as 'GET /api/invocations/{id}');
  const [failure] = failures;
  return [
    JSON.parse(client?.body ?? '{}').error?.message,
    failure?.message,
    failure?.frames.find(({ file }) => file.endsWith('create.ts'))?.file,
    logs.some(({ text }) => text.includes('oops')),
  ];
}
