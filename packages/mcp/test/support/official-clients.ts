import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';

const INFO = { name: 'official', version: '1.0.0' };
const CAPABILITIES = { sampling: {}, elicitation: {}, roots: {} };
const SAMPLE = { role: 'assistant' as const, model: 'm', content: { type: 'text' as const, text: 'sampled' } };
const ELICIT = {
  action: 'accept' as const,
  content: { username: 'ada', email: 'a@example.com', name: 'Ada', color: 'blue' },
};
const ROOTS = { roots: [{ uri: 'file:///root', name: 'root' }] };

/** A connected client of an official package, in any version. */
export interface Official {
  readonly callTool: (name: string, args?: object, onProgress?: (progress: number) => void) => Promise<unknown>;
  readonly listTools: () => Promise<{ tools: readonly { name: string }[] }>;
  readonly client: Pick<Client1, 'ping'> & {
    listResources(): Promise<{ resources: readonly { uri: string }[] }>;
    readResource(params: { uri: string }): Promise<unknown>;
    listPrompts(): Promise<{ prompts: readonly { name: string }[] }>;
    getPrompt(params: { name: string; arguments: Record<string, string> }): Promise<unknown>;
    complete(params: {
      ref: { type: 'ref/prompt'; name: string };
      argument: { name: string; value: string };
    }): Promise<{ completion: { values: readonly string[] } }>;
  };
  readonly terminate: () => Promise<void>;
  readonly close: () => Promise<void>;
}

type Fetch = (input: string | URL, init?: RequestInit) => Promise<Response>;
type Connect = (url: URL, fetch?: Fetch) => Promise<Official>;

async function sdk1(url: URL, fetch?: Fetch): Promise<Official> {
  const client = new Client1(INFO, { capabilities: CAPABILITIES });
  client.setRequestHandler(CreateMessageRequestSchema, () => SAMPLE);
  client.setRequestHandler(ElicitRequestSchema, () => ELICIT);
  client.setRequestHandler(ListRootsRequestSchema, () => ROOTS);
  const transport = new Transport1(url, fetch ? { fetch } : {});
  await client.connect(transport);
  return {
    callTool: (name, args = {}, onProgress) =>
      client.callTool(
        { name, arguments: { ...args } },
        undefined,
        onProgress ? { onprogress: ({ progress }) => onProgress(progress) } : {},
      ),
    listTools: () => client.listTools(),
    client,
    terminate: () => transport.terminateSession(),
    close: () => client.close(),
  };
}

type Mode = 'auto' | 'legacy' | { pin: string };

const sdk2 = (mode: Mode): Connect =>
  async function connect(url, fetch) {
    const client = new Client2(INFO, { capabilities: CAPABILITIES, versionNegotiation: { mode } });
    client.setRequestHandler('sampling/createMessage', () => SAMPLE);
    client.setRequestHandler('elicitation/create', () => ELICIT);
    client.setRequestHandler('roots/list', () => ROOTS);
    const transport = new Transport2(url, fetch ? { fetch } : {});
    await client.connect(transport);
    return {
      callTool: (name, args = {}, onProgress) =>
        client.callTool(
          { name, arguments: { ...args } },
          onProgress ? { onprogress: ({ progress }) => onProgress(progress) } : {},
        ),
      listTools: () => client.listTools(),
      client,
      terminate: () => transport.terminateSession(),
      close: () => client.close(),
    };
  };

/** The official clients, each with whether it speaks the era of sessions. */
export const OFFICIAL_CLIENTS: readonly (readonly [name: string, connect: Connect, hasSessions: boolean])[] = [
  ['SDK 1.x', sdk1, true],
  ['SDK 2.x, legacy', sdk2('legacy'), true],
  ['SDK 2.x, auto', sdk2('auto'), false],
  ['SDK 2.x, pinned', sdk2({ pin: '2026-07-28' }), false],
];

/** The strings of a tool's result. */
export const textOf = (result: unknown): string =>
  (result as { content: { text: string }[] }).content.map(({ text }) => text).join();
