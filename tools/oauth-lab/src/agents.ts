import {
  Client as Client2,
  StreamableHTTPClientTransport as Transport2,
  UnauthorizedError as Unauthorized2,
} from '@modelcontextprotocol/client';
import { UnauthorizedError as Unauthorized1 } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ClientMemory } from './client-memory.js';
import { type Person, signIn } from './person.js';

/** The configuration of an agent: the URL of an MCP server, and its user. */
export interface AgentOptions {
  readonly url: URL;
  readonly person: Person;
  /** Receives method, URL and status of every request: `POST http://127.0.0.1:1234/mcp 401`. */
  readonly onRequest?: (line: string) => void;
}

/** A connected agent. */
export interface Agent {
  readonly memory: ClientMemory;
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  callTool(name: string, args?: Record<string, unknown>): Promise<unknown>;
  close(): Promise<void>;
}

/** Connects an agent, with a sign-in if the server requires it. */
export type SignIn = (options: AgentOptions) => Promise<Agent>;

const INFO = { name: 'agent', version: '1.0.0' };

function recordingFetch({ onRequest = () => {} }: AgentOptions) {
  return async (input: string | URL, init?: RequestInit): Promise<Response> => {
    const response = await fetch(input, init);
    onRequest(`${init?.method ?? 'GET'} ${String(input)} ${response.status}`);
    return response;
  };
}

/** Runs the user's sign-in, and checks the `state` of the answer. */
async function authorize(memory: ClientMemory, { person, onRequest }: AgentOptions): Promise<URLSearchParams> {
  const { searchParams } = await signIn(memory.takeAuthorizationUrl(), person, onRequest);
  if (searchParams.get('state') !== memory.state()) throw new Error('the answer is to another request');
  return searchParams;
}

async function sdk1(options: AgentOptions): Promise<Agent> {
  const memory = new ClientMemory();
  const open = () => new Transport1(options.url, { authProvider: memory, fetch: recordingFetch(options) });
  const client = new Client1(INFO);
  const transport = open();
  await client.connect(transport).catch(async (error: unknown) => {
    if (!(error instanceof Unauthorized1)) throw error;
    const answer = await authorize(memory, options);
    await transport.finishAuth(answer.get('code') ?? '');
    await client.connect(open());
  });
  return {
    memory,
    listTools: () => client.listTools(),
    callTool: (name, args = {}) => client.callTool({ name, arguments: args }),
    close: () => client.close(),
  };
}

/** The sign-in of the official client 2.x, in one mode of its version negotiation. */
export const signInOfSdk2 = (mode: 'auto' | 'legacy' | { readonly pin: string }): SignIn =>
  async function open(options) {
    const memory = new ClientMemory();
    const connect = () => new Transport2(options.url, { authProvider: memory, fetch: recordingFetch(options) });
    const client = new Client2(INFO, { versionNegotiation: { mode } });
    const transport = connect();
    await client.connect(transport).catch(async (error: unknown) => {
      if (!(error instanceof Unauthorized2)) throw error;
      await transport.finishAuth(await authorize(memory, options));
      await client.connect(connect());
    });
    return {
      memory,
      listTools: () => client.listTools(),
      callTool: (name, args = {}) => client.callTool({ name, arguments: args }),
      close: () => client.close(),
    };
  };

/** The official MCP clients, each configured with the URL of a server only. */
export const AGENTS: readonly (readonly [name: string, signIn: SignIn])[] = [
  ['SDK 1.x', sdk1],
  ['SDK 2.x, legacy', signInOfSdk2('legacy')],
  ['SDK 2.x, auto', signInOfSdk2('auto')],
];
