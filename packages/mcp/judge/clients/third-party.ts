import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { auth } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { ClientMemory, type Person, signIn } from '@sallyport/oauth-lab';

// biome-ignore lint/suspicious/noExplicitAny: the packages are not installed where their types could be read.
type Unknown = any;

/** The exact versions of the clients of other makers. */
export const VERSIONS = JSON.parse(readFileSync(new URL('./versions.json', import.meta.url), 'utf8')) as Record<
  string,
  string
>;
const ANSWER = { action: 'accept', content: { username: 'ada', email: 'a@example.com', name: 'Ada', color: 'blue' } };

/** A connected client; results are in the form of its library. */
export interface ThirdPartyClient {
  /** True if the library cannot pass questions to a user. */
  readonly isSilent?: boolean;
  /** The tools, with their `_meta` if the library passes it on. */
  list(): Promise<unknown>;
  call(name: string, args?: Record<string, unknown>): Promise<unknown>;
  /** Calls a tool; resolves with its progress. Absent if the library does not report progress. */
  readonly progressOf?: (name: string) => Promise<readonly number[]>;
  readonly read?: (uri: string) => Promise<unknown>;
  readonly prompt?: (name: string) => Promise<unknown>;
  close(): Promise<unknown>;
}

/** Connects to a server; with a user, the client signs in first. */
export type Connect = (url: string, person?: Person) => Promise<ThirdPartyClient>;

/** The clients, installed for one run: one needs a newer Node than this repository, one has a size of 100 MB. */
export class ThirdPartyClients {
  readonly #folder = mkdtempSync(join(tmpdir(), 'mcp-clients-'));
  readonly #resolve = createRequire(join(this.#folder, 'package.json')).resolve;

  constructor() {
    const manifest = { private: true, type: 'module', dependencies: VERSIONS };
    writeFileSync(join(this.#folder, 'package.json'), JSON.stringify(manifest));
    const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    execFileSync('npm', args, { cwd: this.#folder });
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  readonly aiSdk: Connect = async (url, person) => {
    const { createMCPClient, ElicitationRequestSchema, auth: finish } = await this.#load('@ai-sdk/mcp');
    const client = await this.#connectAiSdk(createMCPClient, finish, url, person);
    client.onElicitationRequest(ElicitationRequestSchema, () => ANSWER);
    return {
      list: () => client.listTools(),
      call: (name, args = {}) => client.callTool({ name, arguments: args }),
      read: (uri) => client.readResource({ uri }),
      prompt: (name) => client.getPrompt({ name }),
      close: () => client.close(),
    };
  };

  /** Announces revision 2025-11-25 and never resumes a stream. */
  readonly aiSdk1: Connect = async (url, person) => {
    const { createMCPClient, ElicitationRequestSchema, auth: finish } = await this.#load('ai-sdk-1');
    const client = await this.#connectAiSdk(createMCPClient, finish, url, person);
    client.onElicitationRequest(ElicitationRequestSchema, () => ANSWER);
    const tools = await client.tools();
    return {
      list: () => client.listTools(),
      call: (name, args = {}) => tools[name].execute(args, { messages: [], toolCallId: '1' }),
      read: (uri) => client.readResource({ uri }),
      close: () => client.close(),
    };
  };

  readonly langchain: Connect = async (url, person) => {
    const { MultiServerMCPClient } = await this.#load('@langchain/mcp-adapters');
    let seen: number[] = [];
    const open = (authProvider?: ClientMemory) =>
      new MultiServerMCPClient({
        mcpServers: { judged: { transport: 'http', url, ...(authProvider && { authProvider }) } },
        onProgress: ({ progress }: { progress: number }) => seen.push(progress),
      });
    const memory = person && new ClientMemory();
    const connect = async () => {
      const client = open(memory);
      return { client, tools: (await client.getTools()) as readonly Tool[] };
    };
    const { client, tools } = await connect().catch(async (error: unknown) => {
      if (!memory || !person) throw error;
      await finishSignIn(memory, person, (code) => auth(memory, { serverUrl: url, authorizationCode: code }));
      return connect();
    });
    const call = async (name: string, args = {}) => tools.find((tool) => tool.name === name)?.invoke(args);
    return {
      isSilent: true,
      list: async () => tools.map(({ name, metadata }) => ({ name, metadata })),
      call,
      async progressOf(name) {
        seen = [];
        await call(name);
        return seen;
      },
      read: (uri) => client.readResource('judged', uri),
      close: () => client.close(),
    };
  };

  /** A proxy that speaks HTTP for a client that has only its standard input and output. */
  readonly mcpRemote: Connect = async (url, person) => {
    const client = new Client({ name: 'judge', version: '1.0.0' }, { capabilities: { elicitation: {} } });
    client.setRequestHandler(
      ElicitRequestSchema,
      () => ANSWER as { action: 'accept'; content: Record<string, string> },
    );
    const args = [join(this.#folder, 'node_modules/mcp-remote/dist/proxy.js'), url];
    const env = { PATH: process.env.PATH ?? '', MCP_REMOTE_CONFIG_DIR: join(this.#folder, crypto.randomUUID()) };
    const transport = new StdioClientTransport({ command: process.execPath, args, env, stderr: 'pipe' });
    let printed = '';
    let isOpened = false;
    transport.stderr?.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      const [, page] = /authorize this client by visiting:\s+(\S+)\s/.exec(printed) ?? [];
      if (!person || !page || isOpened) return;
      isOpened = true;
      // The client listens at the address to which the user is redirected.
      void signIn(new URL(page), person).then((redirect) => fetch(redirect));
    });
    await client.connect(transport);
    const call = (name: string, given = {}) => client.callTool({ name, arguments: given });
    return {
      list: () => client.listTools(),
      call,
      async progressOf(name) {
        const seen: number[] = [];
        await client.callTool({ name, arguments: {} }, undefined, {
          onprogress: ({ progress }) => seen.push(progress),
        });
        return seen;
      },
      read: (uri) => client.readResource({ uri }),
      prompt: (name) => client.getPrompt({ name }),
      close: () => client.close(),
    };
  };

  #load(name: string): Promise<Unknown> {
    return import(pathToFileURL(this.#resolve(name)).href);
  }

  async #connectAiSdk(create: Unknown, finish: Unknown, url: string, person: Person | undefined): Promise<Unknown> {
    const memory = person && new ClientMemory();
    const transport = { type: 'http', url, ...(memory && { authProvider: memory }) };
    const connect = () => create({ transport, capabilities: { elicitation: {} } });
    return connect().catch(async (error: unknown) => {
      if (!memory || !person) throw error;
      await finishSignIn(memory, person, (authorizationCode, callbackState) =>
        finish(memory, { serverUrl: url, authorizationCode, callbackState }),
      );
      return connect();
    });
  }
}

interface Tool {
  readonly name: string;
  readonly metadata?: object;
  invoke(args: object): Promise<unknown>;
}

async function finishSignIn(
  memory: ClientMemory,
  person: Person,
  finish: (code: string, state: string) => Promise<unknown>,
): Promise<void> {
  const { searchParams } = await signIn(memory.takeAuthorizationUrl(), person);
  await finish(searchParams.get('code') ?? '', searchParams.get('state') ?? '');
}
