// Clients of other makers against the four doors: `node --conditions=@sallyport/source --import tsx judge/third-party.ts`.
// They are installed for the run, in exact versions: one needs a newer Node than this repository, one has a size of 100 MB.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { DOOR_NAMES, openDoor } from './doors.js';

const VERSIONS = {
  '@ai-sdk/mcp': '2.0.99',
  'ai-sdk-1': 'npm:@ai-sdk/mcp@1.0.101',
  '@langchain/mcp-adapters': '1.1.4',
  '@langchain/core': '1.4.0',
  '@langchain/langgraph': '1.7.3',
  'mcp-remote': '0.15.1',
};
const ANSWER = { action: 'accept', content: { username: 'ada', email: 'a@example.com', name: 'Ada', color: 'blue' } };
const TEXT = 'This is a simple text response for testing.';
const RECONNECTED = 'Reconnection test completed successfully';
const FAILED = 'This tool intentionally returns an error for testing';
const ROUNDS = 'test_input_required_result_multi_round';

/** A check of one client: its name, its result, and the required part of the result. */
type Check = readonly [what: string, got: () => Promise<unknown>, wanted: string];
interface Connected {
  readonly checks: readonly Check[];
  close(): Promise<unknown>;
}
// biome-ignore lint/suspicious/noExplicitAny: the packages are not installed where their types could be read.
type Unknown = any;

const folder = mkdtempSync(join(tmpdir(), 'mcp-clients-'));
const resolve = createRequire(join(folder, 'package.json')).resolve;
const load = (name: string): Promise<Unknown> => import(pathToFileURL(resolve(name)).href);

function fetchClients(): void {
  const manifest = { private: true, type: 'module', dependencies: VERSIONS };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder });
}

/** Calls of a client with support for questions. */
const askingCalls = (call: (name: string, args?: Record<string, unknown>) => Promise<unknown>): readonly Check[] => [
  ['call', () => call('test_simple_text'), TEXT],
  ['tool error', () => call('test_error_handling'), FAILED],
  ['elicitation', () => call('test_elicitation', { message: 'Who?' }), 'ada'],
  ['two rounds', () => call(ROUNDS), 'Ada likes blue.'],
  ['closed stream', () => call('test_reconnection'), RECONNECTED],
];

async function aiSdk(url: string): Promise<Connected> {
  const { createMCPClient, ElicitationRequestSchema } = await load('@ai-sdk/mcp');
  const client = await createMCPClient({ transport: { type: 'http', url }, capabilities: { elicitation: {} } });
  client.onElicitationRequest(ElicitationRequestSchema, () => ANSWER);
  const call = (name: string, args = {}) => client.callTool({ name, arguments: args });
  return {
    checks: [
      ['list', () => client.tools().then(Object.keys), 'test_simple_text'],
      ...askingCalls(call),
      ['resource', () => client.readResource({ uri: 'test://static-text' }), 'static text resource'],
      ['prompt', () => client.getPrompt({ name: 'test_simple_prompt' }), 'simple prompt'],
    ],
    close: () => client.close(),
  };
}

async function langchain(url: string): Promise<Connected> {
  const { MultiServerMCPClient } = await load('@langchain/mcp-adapters');
  const seen: number[] = [];
  const client = new MultiServerMCPClient({
    mcpServers: { judged: { transport: 'http', url } },
    onProgress: ({ progress }: { progress: number }) => seen.push(progress),
  });
  const tools: readonly { name: string; invoke(args: object): Promise<unknown> }[] = await client.getTools();
  const call = async (name: string) => tools.find((tool) => tool.name === name)?.invoke({});
  return {
    checks: [
      ['list', async () => tools.map(({ name }) => name), 'test_simple_text'],
      ['call', () => call('test_simple_text'), TEXT],
      ['tool error', () => call('test_error_handling').catch(String), FAILED],
      ['progress', () => call('test_tool_with_progress').then(() => seen), '[0,50,100]'],
      ['closed stream', () => call('test_reconnection'), RECONNECTED],
    ],
    close: () => client.close(),
  };
}

/** A proxy that speaks HTTP for a client that has only its standard input and output. */
async function mcpRemote(url: string): Promise<Connected> {
  const client = new Client({ name: 'judge', version: '1.0.0' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, () => ANSWER as { action: 'accept'; content: Record<string, string> });
  const args = [join(folder, 'node_modules/mcp-remote/dist/proxy.js'), url];
  const env = { PATH: process.env.PATH ?? '', MCP_REMOTE_CONFIG_DIR: folder };
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }));
  const call = (name: string, given = {}) => client.callTool({ name, arguments: given });
  return {
    checks: [
      ['list', () => client.listTools(), 'test_simple_text'],
      ...askingCalls(call),
      ['resource', () => client.readResource({ uri: 'test://static-text' }), 'static text resource'],
      ['prompt', () => client.getPrompt({ name: 'test_simple_prompt' }), 'simple prompt'],
    ],
    close: () => client.close(),
  };
}

/** A client that announces revision 2025-11-25 and never resumes a stream. */
async function aiSdk1(url: string): Promise<Connected> {
  const {
    experimental_createMCPClient: legacy,
    createMCPClient = legacy,
    ElicitationRequestSchema,
  } = await load('ai-sdk-1');
  const client = await createMCPClient({ transport: { type: 'http', url }, capabilities: { elicitation: {} } });
  client.onElicitationRequest(ElicitationRequestSchema, () => ANSWER);
  const tools = await client.tools();
  const call = (name: string, args = {}) => tools[name].execute(args, { messages: [], toolCallId: '1' });
  return {
    checks: [
      ['list', async () => Object.keys(tools), 'test_simple_text'],
      ['call', () => call('test_simple_text'), TEXT],
      ['elicitation', () => call('test_elicitation', { message: 'Who?' }), 'ada'],
      ['two elicitations', () => call('test_two_questions'), 'ada ada'],
      ['two rounds', () => call(ROUNDS), 'Ada likes blue.'],
    ],
    close: () => client.close(),
  };
}

const CLIENTS = {
  '@ai-sdk/mcp': aiSdk,
  'ai-sdk-1': aiSdk1,
  '@langchain/mcp-adapters': langchain,
  'mcp-remote': mcpRemote,
};

/** Runs the checks of one client; returns the failures as text. */
async function judge(connect: (url: string) => Promise<Connected>, url: string) {
  const { checks, close } = await connect(url);
  const failed: string[] = [];
  for (const [what, got, wanted] of checks) {
    const text = await got().then(JSON.stringify, String);
    if (!text.includes(wanted)) failed.push(`${what}: ${text.slice(0, 200)}`);
  }
  await close();
  return { count: checks.length, failed };
}

let missed = 0;
function line(what: string, failed: readonly string[], text: string): void {
  if (failed.length > 0) missed += 1;
  process.stdout.write(`  ${failed.length === 0 ? 'ok    ' : 'MISSED'} ${what}: ${text}\n`);
  for (const why of failed) process.stdout.write(`      ${why}\n`);
}

try {
  fetchClients();
  for (const name of DOOR_NAMES) {
    process.stdout.write(`\nclients of other makers, ${name}\n`);
    const door = await openDoor(name);
    for (const [client, connect] of Object.entries(CLIENTS)) {
      if (client === 'ai-sdk-1' && !name.endsWith('streaming')) continue;
      const { count, failed } = await judge(connect, door.url.href);
      const version = VERSIONS[client as keyof typeof CLIENTS];
      line(`${client} ${version}`, failed, `${count - failed.length}/${count}`);
    }
    await door.stop();
    line('store used after the response', door.violations, `${door.violations.length} times`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(missed > 0 ? 1 : 0);
