import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import {
  createTaskSessionFromClient,
  resultFromTaskOutcome,
  toolDeclarationFromMcpTool,
} from '@modelcontextprotocol/ext-tasks/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';

const STATELESS = '2026-07-28';
const INFO = { name: 'judge', version: '1.0.0' };
const CAPABILITIES = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
const TOOL = 'slow_compute';
const ARGUMENTS = { seconds: 1, label: 'x' };

/** Runs a tool as a task; resolves with its result. Rejects if the server answers without a task. */
export type RunTask = (url: URL) => Promise<unknown>;

/** Tasks of revision 2025-11-25, through the client's own methods. */
export const taskOfSdk1: RunTask = async (url) => {
  const client = new Client1(INFO);
  await client.connect(new Transport1(url));
  try {
    if (!client.getServerCapabilities()?.tasks) throw new Error('the server offers no tasks in sessions');
    let isTask = false;
    const params = { name: TOOL, arguments: ARGUMENTS };
    for await (const message of client.experimental.tasks.callToolStream(params, CallToolResultSchema, { task: {} })) {
      if (message.type === 'taskCreated') isTask = true;
      if (message.type === 'error') throw message.error;
      if (message.type === 'result' && isTask) return message.result;
    }
    throw new Error('the call did not become a task');
  } finally {
    await client.close();
  }
};

/** Tasks through the published client of the extension, which also speaks those of revision 2025-11-25. */
export const taskOfSdk2 =
  (mode: 'auto' | 'legacy' | { pin: string }): RunTask =>
  async (url) => {
    const client = new Client(INFO, { capabilities: CAPABILITIES, versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(url));
    if (mode === 'legacy' && !(client.getServerCapabilities() as { tasks?: object })?.tasks) {
      await client.close();
      throw new Error('the server offers no tasks in sessions');
    }
    let id = 1000;
    const session = createTaskSessionFromClient(client, {
      endpointId: 'judged',
      ...(mode !== 'legacy' && {
        v2RequestFraming: { protocolVersion: STATELESS, clientInfo: INFO, clientCapabilities: CAPABILITIES as never },
        rawDispatch: async (request) => {
          const { method, params = {} } = request as { method: string; params?: { name?: string; taskId?: string } };
          id += 1;
          const response = await fetch(url, {
            method: 'POST',
            headers: {
              ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
              ...{ 'mcp-protocol-version': STATELESS, 'mcp-method': method },
              'mcp-name': params.name ?? params.taskId ?? '',
            },
            body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
          });
          const { result, error } = (await response.json()) as { result?: never; error?: never };
          return error ? { kind: 'error', error } : { kind: 'result', result: result as never };
        },
      }),
    });
    try {
      // In sessions, a tool declares that it can be a task.
      const tool = (await client.listTools()).tools.find(({ name }) => name === TOOL);
      const declared = tool && { declaration: toolDeclarationFromMcpTool(tool) };
      const execution = await session.callTool(TOOL, ARGUMENTS, { ...declared, task: { preference: 'prefer' } });
      if (execution.kind !== 'task') throw new Error('the call did not become a task');
      return resultFromTaskOutcome((await execution.settle()).outcome);
    } finally {
      await session.close();
      await client.close();
    }
  };
