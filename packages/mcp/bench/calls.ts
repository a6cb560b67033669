// `tools/call` in process, ten tools, schema check on: this package with its whole pipeline, compared with the official server
// package. Run with `node --conditions=@sallyport/source --import tsx bench/calls.ts [--rounds 15]`.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createMcpHandler, McpServer as OfficialServer } from '@modelcontextprotocol/server';
import { Public, SecureApp } from '@sallyport/secure';
import { z } from 'zod';
import { createMcpServer, type McpServerOptions, memoryMcpStore, mountMcp } from '../src/index.js';

const WARM_UP = 3000;
const CALLS = 1500;

interface Contestant {
  readonly name: string;
  readonly call: () => Promise<string>;
}

interface Round {
  readonly callsPerSecond: number;
  readonly cpuMicros: number;
}

const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 'tool_3',
};
const BODY = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name: 'tool_3',
    arguments: { text: 'hello', count: 3, tags: ['a', 'b'], nested: { on: true } },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
});
const JSON_SCHEMA = {
  type: 'object',
  properties: {
    text: { type: 'string', minLength: 1 },
    count: { type: 'integer', minimum: 0 },
    tags: { type: 'array', items: { type: 'string' } },
    nested: { type: 'object', properties: { on: { type: 'boolean' } }, required: ['on'] },
  },
  required: ['text', 'count'],
};
const zodSchema = z.object({
  text: z.string().min(1),
  count: z.number().int().min(0),
  tags: z.array(z.string()),
  nested: z.object({ on: z.boolean() }),
});
const ANSWER = 'hello 3';

const SECRET = { current: 'only for this bench, and long enough for it' };
const SESSIONS = {
  sealed: { sessions: 'sealed', secret: SECRET },
  durable: { sessions: 'durable', store: memoryMcpStore() },
} as const satisfies Record<string, Partial<McpServerOptions>>;

/** The same call in a session. */
async function ourSession(kind: keyof typeof SESSIONS): Promise<Contestant> {
  const { send, name } = ourServer(10, SESSIONS[kind]);
  const accepted = { 'content-type': HEADERS['content-type'], accept: HEADERS.accept };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1.0.0' } };
  const hello = await send(JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }), accepted);
  const { name: tool, arguments: args } = JSON.parse(BODY).params as { name: string; arguments: object };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: args } });
  const headers = {
    ...accepted,
    'mcp-protocol-version': '2025-11-25',
    'mcp-session-id': hello.headers['mcp-session-id'] ?? '',
  };
  return { name: `${name}, ${kind} session`, call: async () => (await send(body, headers)).body };
}

function ours(tools: number): Contestant {
  const { send, name } = ourServer(tools, {});
  return { name, call: async () => (await send(BODY, HEADERS)).body };
}

function ourServer(tools: number, options: Partial<McpServerOptions>) {
  const server = createMcpServer({ name: 'bench', version: '1.0.0', ...options });
  for (let index = 0; index < tools; index += 1) {
    server.tool(
      `tool_${index}`,
      { description: 'Repeats.', input: JSON_SCHEMA },
      ({ text, count }) => `${text} ${count}`,
    );
  }
  const app = new SecureApp();
  mountMcp(app, server, { posture: Public() });
  const toEvent = (body: string, headers: Readonly<Record<string, string>>) => ({
    version: '2.0',
    rawPath: '/mcp',
    rawQueryString: '',
    headers: { ...headers, host: 'x.lambda-url.eu-west-1.on.aws' },
    requestContext: {
      domainName: 'x.lambda-url.eu-west-1.on.aws',
      http: { method: 'POST', path: '/mcp', sourceIp: '192.0.2.1' },
    },
    body,
    isBase64Encoded: false,
  });
  const context = { awsRequestId: 'a', getRemainingTimeInMillis: () => 30_000 };
  return {
    name: `@sallyport/mcp behind SecureApp, ${tools} tools`,
    send: async (body: string, headers: Readonly<Record<string, string>>) =>
      (await app.serveLambdaFunctionURL(toEvent(body, headers), context)) as {
        readonly headers: Readonly<Record<string, string>>;
        readonly body: string;
      },
  };
}

function official(): Contestant {
  const handler = createMcpHandler(() => {
    const server = new OfficialServer({ name: 'bench', version: '1.0.0' });
    for (let index = 0; index < 10; index += 1) {
      server.registerTool(`tool_${index}`, { description: 'Repeats.', inputSchema: zodSchema }, ({ text, count }) => ({
        content: [{ type: 'text', text: `${text} ${count}` }],
      }));
    }
    return server;
  });
  return {
    name: '@modelcontextprotocol/server 2.4.0, 10 tools',
    call: async () => {
      const request = new Request('http://localhost/mcp', { method: 'POST', headers: HEADERS, body: BODY });
      return (await handler.fetch(request)).text();
    },
  };
}

async function measure({ call }: Contestant, calls: number): Promise<Round> {
  const cpu = process.cpuUsage();
  const start = process.hrtime.bigint();
  for (let index = 0; index < calls; index += 1) await call();
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  const { user, system } = process.cpuUsage(cpu);
  return { callsPerSecond: calls / seconds, cpuMicros: (user + system) / calls };
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

const CONTESTANTS: readonly (() => Contestant | Promise<Contestant>)[] = [
  () => ours(10),
  () => ours(50),
  () => ourSession('sealed'),
  () => ourSession('durable'),
  official,
];

/** One contestant in this process: sends its name when it is warm, then measures a round for each message. */
async function compete(index: number): Promise<void> {
  const contestant = await CONTESTANTS[index]?.();
  if (!contestant) throw new Error(`no contestant ${index}`);
  const answer = await contestant.call();
  if (!answer.includes(ANSWER)) throw new Error(`${contestant.name} answers ${answer}`);
  await measure(contestant, WARM_UP);
  process.on('message', async () => process.send?.(await measure(contestant, CALLS)));
  process.send?.(contestant.name);
}

/** Each contestant has a separate process, so that it does not collect the garbage of another contestant; the rounds alternate. */
async function lead(count: number): Promise<void> {
  const children = CONTESTANTS.map((_, index) => fork(fileURLToPath(import.meta.url), ['--contestant', String(index)]));
  const reply = async (child: ChildProcess) => (await once(child, 'message'))[0] as unknown;
  const names = await Promise.all(children.map(reply));
  const rounds = children.map((): Round[] => []);
  for (let round = 0; round < count; round += 1) {
    for (const [index, child] of children.entries()) {
      child.send('round');
      rounds[index]?.push((await reply(child)) as Round);
    }
  }
  for (const child of children) child.disconnect();
  report(
    rounds.map((measured, index) => ({
      name: String(names[index]),
      calls: median(measured.map(({ callsPerSecond }) => callsPerSecond)),
      cpu: median(measured.map(({ cpuMicros }) => cpuMicros)),
    })),
  );
}

function report(results: readonly { readonly name: string; readonly calls: number; readonly cpu: number }[]): void {
  const peer = results.at(-1);
  for (const { name, calls, cpu } of results) {
    const ratio = `${(calls / (peer?.calls ?? 1)).toFixed(1)} x the calls, ${(cpu / (peer?.cpu ?? 1)).toFixed(3)} x the CPU`;
    process.stdout.write(
      `${name.padEnd(62)} ${calls.toFixed(0).padStart(7)} calls/s  ${cpu.toFixed(1).padStart(7)} µs CPU a call  ${ratio}\n`,
    );
  }
}

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '15' }, contestant: { type: 'string' } },
});
if (values.contestant === undefined) await lead(Number(values.rounds));
else await compete(Number(values.contestant));
