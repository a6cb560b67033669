// CPU of `tools/call` for a tool from a route, a tool with the same validator and the same work, and the request of the route itself, in
// alternating rounds of one process. Run with `node --conditions=@sallyport/source --import tsx bench/composed.ts [--rounds 31]`.
import { parseArgs } from 'node:util';
import { bind } from '@sallyport/http';
import { Authenticated, SecureApp } from '@sallyport/secure';
import { z } from 'zod';
import { toolsFromRoutes } from '../src/compose.js';
import { createMcpServer, mountMcp } from '../src/index.js';

const CALLS = 1000;
const Input = z.object({
  text: z.string().min(1),
  count: z.number().int().min(0),
  tags: z.array(z.string()),
  nested: z.object({ on: z.boolean() }),
});
const Output = z.object({ text: z.string(), count: z.number() });
const ARGS = { text: 'hello', count: 3, tags: ['a', 'b'], nested: { on: true } };

const app = new SecureApp({ principalResolver: () => ({ identity: 'ada', scopes: ['a'] }) });
const server = createMcpServer({ name: 'bench', version: '1.0.0' });
server.tool('by_hand', { description: 'Repeats.', input: Input, output: Output, scopes: ['a'] }, ({ text, count }) => ({
  structured: { text, count },
}));
app.post(
  '/repeat',
  bind({ body: Input, response: Output }, (_, { body: { text, count } }) => ({ text, count })),
  Authenticated('a'),
);
toolsFromRoutes(app, server, { include: ['POST /repeat'], name: () => 'from_route' });
mountMcp(app, server, { posture: Authenticated() });

const context = { awsRequestId: 'a', getRemainingTimeInMillis: () => 30_000 };

function eventOf(path: string, body: unknown, headers: Readonly<Record<string, string>>) {
  return {
    ...{ version: '2.0', rawPath: path, rawQueryString: '', isBase64Encoded: false, body: JSON.stringify(body) },
    headers: { 'content-type': 'application/json', ...headers, host: 'x.lambda-url.eu-west-1.on.aws' },
    requestContext: {
      domainName: 'x.lambda-url.eu-west-1.on.aws',
      http: { method: 'POST', path, sourceIp: '192.0.2.1' },
    },
  };
}

function toolCall(name: string) {
  const message = {
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
    params: {
      ...{ name, arguments: ARGS },
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  };
  return eventOf('/mcp', message, {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': name,
  });
}

const SUBJECTS = {
  by_hand: toolCall('by_hand'),
  from_route: toolCall('from_route'),
  request: eventOf('/repeat', ARGS, {}),
};
type Subject = keyof typeof SUBJECTS;

/** CPU microseconds of one call. */
async function measure(subject: Subject): Promise<number> {
  const cpu = process.cpuUsage();
  for (let call = 0; call < CALLS; call += 1) await app.serveLambdaFunctionURL(SUBJECTS[subject], context);
  const { user, system } = process.cpuUsage(cpu);
  return (user + system) / CALLS;
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '31' } } });
const names = Object.keys(SUBJECTS) as Subject[];
for (const name of names) {
  const { body } = (await app.serveLambdaFunctionURL(SUBJECTS[name], context)) as { body: string };
  if (!body.includes('"text":"hello"')) throw new Error(`${name} answers ${body}`);
  for (let warm = 0; warm < 5; warm += 1) await measure(name);
}
const rounds = Array.from({ length: Number(values.rounds) }, (_, index) => index);
const measured: Record<Subject, number[]> = { by_hand: [], from_route: [], request: [] };
for (const round of rounds) {
  for (const name of round % 2 === 0 ? names : [...names].reverse()) measured[name].push(await measure(name));
}
for (const name of names) {
  const ratio = median(rounds.map((round) => (measured[name][round] ?? 0) / (measured.by_hand[round] ?? 1)));
  process.stdout.write(
    `${name.padEnd(12)} ${median(measured[name]).toFixed(1)} µs CPU a call, ${ratio.toFixed(3)} of a tool by hand\n`,
  );
}
