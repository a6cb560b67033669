import type { SourceKind } from '@sallyport/contract/service';
import { membersOf } from '@sallyport/core/internal';
import type { CodeSample, ContractEntry, Examples } from './entry.js';
import { type ExampleRequest, exampleRequest } from './request.js';

/** The addresses of the open doors, by their kinds. */
export type Addresses = Readonly<Record<string, string>>;

/** An entry for which code is written. */
export type Coded = Pick<ContractEntry, 'name' | 'posture' | 'scopes'> & { readonly examples: Examples };

const CONTRACT = `import type { Contract } from './contract.js';`;
/** The number of characters up to which a value is on one line. */
const SHORT = 80;

/** A value as a literal of TypeScript. */
const literal = (value: unknown) => {
  const line = JSON.stringify(value ?? null);
  return line.length <= SHORT ? line : JSON.stringify(value, null, 2);
};
const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
/** A word of a POSIX shell. */
const word = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

function needsCaller({ posture }: Coded): boolean {
  return posture !== null && posture !== 'public' && posture !== 'optional';
}

/** The command that prints a token of a caller that the operation accepts. */
function tokenCommand({ posture, scopes }: Coded): string {
  const kind = posture === 'internal_only' ? ' --kind internal' : '';
  return `npx sallyport token --sub ada${scopes.map((scope) => ` --scope ${word(scope)}`).join('')}${kind}`;
}

/** The address of the first open HTTP door. */
const addressOf = (addresses: Addresses) =>
  ['gateway-v2', 'function-url', 'gateway-v1', 'load-balancer'].map((door) => addresses[door]).find(Boolean) ??
  'http://127.0.0.1:4701';

function curl(coded: Coded, address: string, request: ExampleRequest): CodeSample {
  const headers = [
    ...(needsCaller(coded) ? [`"authorization: Bearer $(${tokenCommand(coded)})"`] : []),
    ...request.headers.map(([name, value]) => word(`${name}: ${value}`)),
    ...(request.cookies.length > 0
      ? [word(`cookie: ${request.cookies.map(([name, value]) => `${name}=${value}`).join('; ')}`)]
      : []),
    ...('body' in request ? [word('content-type: application/json')] : []),
  ];
  const lines = [
    `curl --request ${request.method} ${word(address + request.path)}`,
    ...headers.map((header) => `--header ${header}`),
    ...('body' in request ? [`--data ${word(JSON.stringify(request.body))}`] : []),
  ];
  return { name: 'curl', text: lines.join(' \\\n  ') };
}

/** The second argument of a call of the client: the examples of what the operation reads. */
function inputOf({ params, query, headers, body }: Examples, isIdempotent: boolean): string {
  const given = Object.entries({ params, query, headers, body }).filter(([, value]) => value !== undefined);
  const members = given.map(([name, value]) => `${name}: ${literal(value)}`);
  if (isIdempotent) members.push('idempotencyKey: true');
  return members.length === 0 ? '' : `, { ${members.join(', ')} }`;
}

function clientLines(coded: Coded, address: string, more = ''): readonly string[] {
  const isGuarded = needsCaller(coded);
  const headers = isGuarded ? `, headers: () => ({ authorization: \`Bearer \${token}\` })` : '';
  return [
    `import { createClient${more} } from '@sallyport/client';`,
    CONTRACT,
    '',
    ...(isGuarded ? [`const token = ''; // ${tokenCommand(coded)}`] : []),
    `const api = createClient<Contract>({ url: ${quoted(address)}${headers} });`,
  ];
}

/** The lines of a test before its call. */
function testLines(imports: readonly string[], contract: readonly string[]): readonly string[] {
  return [
    `import { ${['createTestEnv', ...imports].join(', ')} } from '@sallyport/testkit';`,
    ...(contract.length > 0 ? [`import { ${contract.join(', ')} } from '@sallyport/testkit/contract';`, CONTRACT] : []),
    `import { handler } from './lambda.js';`,
    '',
    'const env = createTestEnv();',
  ];
}

const app = '{ handleLambda: handler }';
const sample = (name: CodeSample['name'], lines: readonly string[]): CodeSample => ({ name, text: lines.join('\n') });

/** Code for an HTTP operation. */
export function httpCode(
  coded: Coded,
  addresses: Addresses,
  { isIdempotent, isStream }: { readonly isIdempotent: boolean; readonly isStream: boolean },
): readonly CodeSample[] {
  const { name, examples } = coded;
  const address = addressOf(addresses);
  const input = inputOf(examples, isIdempotent);
  const request = exampleRequest(name, examples, isIdempotent);
  const call = `const found = await api(${quoted(name)}${input});`;
  const shown = 'console.log(found.ok ? found.data : found.error.code);';
  const headers = needsCaller(coded) ? `, { headers: () => ({ authorization: 'Bearer ada' }) }` : '';
  return [
    curl(coded, address, request),
    isStream
      ? sample('client', [
          ...clientLines(coded, address, ', events'),
          `for await (const { event, data } of events(api, ${quoted(name)}${input})) console.log(event, data);`,
        ])
      : sample('client', [...clientLines(coded, address), call, shown]),
    sample('test kit', [
      ...testLines([], ['contractClient']),
      `const api = contractClient<Contract>(env, ${app}${headers});`,
      call,
      shown,
    ]),
  ];
}

/** The calls of a sender; AWS writes the messages of the other sources. */
const SENDERS: Readonly<Record<SourceKind, ((name: string, payload: string) => readonly string[]) | undefined>> = {
  queue: (name, payload) => [
    `const sender = createSender<Contract>({ queues: { ${name}: process.env.QUEUE_URL } });`,
    `await sender.send(${name}, ${payload});`,
  ],
  topic: (name, payload) => [
    `const sender = createSender<Contract>({ topics: { ${name}: process.env.TOPIC_ARN } });`,
    `await sender.publish(${name}, ${payload});`,
  ],
  stream: (name, payload) => [
    `const sender = createSender<Contract>({ streams: { ${name}: ${name} } });`,
    `await sender.putRecord(${name}, ${payload}, { key: 'example-1' });`,
  ],
  bus: (name, payload) => ['const sender = createSender<Contract>({});', `await sender.put(${name}, ${payload});`],
  table: undefined,
  event: undefined,
};

/** Code for a source of messages. */
export function sourceCode(kind: SourceKind, { name, examples }: Coded): readonly CodeSample[] {
  const { message } = examples;
  const payload = literal(message);
  const send = SENDERS[kind];
  const data = word(JSON.stringify(message ?? null));
  if (send) {
    return [
      sample('command', [sendCommand(kind, name, data)]),
      sample('client', [
        `import { createSender } from '@sallyport/streams/send';`,
        CONTRACT,
        '',
        ...send(quoted(name), payload),
      ]),
      sample('test kit', [
        ...testLines([], ['contractEvents']),
        `await env.invoke(${app}, contractEvents<Contract>().${kind}(${quoted(name)}, ${Array.isArray(message) ? `[${payload}]` : payload}));`,
      ]),
    ];
  }
  if (kind === 'event') return [sample('command', [`npx sallyport send ${eventKind(name)}`])];
  const arn = `arn:aws:dynamodb:us-east-1:123456789012:table/${name}/stream/2026-01-01T00:00:00.000`;
  return [
    sample('command', [
      `npx sallyport send table-stream ${word(name)} --options ${word(JSON.stringify(change(message)))}`,
    ]),
    sample('test kit', [
      ...testLines(['buildTableStreamEvent'], []),
      `const event = buildTableStreamEvent(${quoted(arn)}, [${literal(change(message))}]);`,
      `await env.invoke(${app}, event);`,
    ]),
  ];
}

const change = (image: unknown) => ({ eventName: 'INSERT', newImage: membersOf(image) });

/** The kind of `kafka/orders`, and its name. */
const eventKind = (name: string) => {
  const slash = name.indexOf('/');
  return slash < 0 ? name : `${name.slice(0, slash)} ${word(name.slice(slash + 1))}`;
};

function sendCommand(kind: SourceKind, name: string, data: string): string {
  if (kind !== 'bus') return `npx sallyport send ${kind} ${word(name)} --data ${data}`;
  const slash = name.indexOf('/');
  const options = { source: name.slice(0, slash), detailType: name.slice(slash + 1) };
  return `npx sallyport send event-bus default --options ${word(JSON.stringify(options))} --data ${data}`;
}

/** Code for a message of a WebSocket API. */
export function socketCode(side: 'in' | 'out', { name, examples }: Coded, addresses: Addresses): readonly CodeSample[] {
  const { message } = examples;
  const opened = [
    `import { openSocket } from '@sallyport/client';`,
    CONTRACT,
    '',
    `const socket = await openSocket<Contract>({ url: ${quoted(addresses.websocket ?? 'ws://127.0.0.1:4705')} });`,
  ];
  if (side === 'out')
    return [sample('client', [...opened, `socket.on(${quoted(name)}, (data) => console.log(data));`])];
  const body = { action: name, data: message ?? null };
  return [
    sample('command', [`npx sallyport send websocket ${word(name)} --data ${word(JSON.stringify(body))}`]),
    sample('client', [...opened, `socket.send(${quoted(name)}, ${literal(message)});`]),
    sample('test kit', [
      ...testLines(['buildWebSocketEvent'], []),
      `const event = buildWebSocketEvent({ routeKey: ${quoted(name)}, json: ${literal(body)} });`,
      `await env.invoke(${app}, event);`,
    ]),
  ];
}

/** Code for a tool of an MCP server. */
export function toolCode(coded: Coded, addresses: Addresses, path: string): readonly CodeSample[] {
  const { name, examples } = coded;
  const input = literal(examples.input);
  const address = addressOf(addresses);
  const version = '2026-07-28';
  const body = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name,
      arguments: examples.input,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': version,
        'io.modelcontextprotocol/clientInfo': { name: 'curl', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  };
  const headers = [
    ['accept', 'application/json, text/event-stream'],
    ['mcp-protocol-version', version],
    ['mcp-method', 'tools/call'],
    ['mcp-name', name],
  ] as const;
  const options = path === '/mcp' ? '' : `, { path: ${quoted(path)} }`;
  return [
    curl(coded, address, { method: 'POST', path, query: [], cookies: [], headers, body }),
    sample('client', [
      ...clientLines(coded, address, ', callTool'),
      `const found = await callTool(api, ${quoted(name)}, ${input}${options});`,
      'console.log(found.ok ? found.data : found.error.message);',
    ]),
    sample('test kit', [
      `import { callTool } from '@sallyport/client';`,
      ...testLines([], ['contractClient']),
      `const api = contractClient<Contract>(env, ${app}${needsCaller(coded) ? `, { headers: () => ({ authorization: 'Bearer ada' }) }` : ''});`,
      `const found = await callTool(api, ${quoted(name)}, ${input}${options});`,
      'console.log(found.ok ? found.data : found.error.message);',
    ]),
  ];
}

/** Code for an invocation by name. */
export function invokeCode({ name, examples }: Coded): readonly CodeSample[] {
  const event = { $invoke: name, input: examples.input ?? null };
  return [
    sample('command', [`npx sallyport send invoke --data ${word(JSON.stringify(event))}`]),
    sample('client', [
      `import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';`,
      CONTRACT,
      '',
      `const input: Contract['invoke'][${quoted(name)}]['input'] = ${literal(examples.input)};`,
      `const Payload = JSON.stringify({ $invoke: ${quoted(name)}, input });`,
      `const { FUNCTION_NAME: FunctionName } = process.env;`,
      'await new LambdaClient().send(new InvokeCommand({ FunctionName, Payload }));',
    ]),
    sample('test kit', [...testLines([], []), `const found = await env.invoke(${app}, ${literal(event)});`]),
  ];
}

/** Code for a GraphQL field. */
export function fieldCode({ name, examples }: Coded): readonly CodeSample[] {
  const [parentTypeName = '', fieldName = ''] = name.split('.');
  const args = membersOf(examples.args);
  return [
    sample('command', [`npx sallyport send appsync ${word(name)} --data ${word(JSON.stringify(args))}`]),
    sample('test kit', [
      ...testLines(['buildAppSyncEvent'], []),
      `const event = buildAppSyncEvent(${literal({ parentTypeName, fieldName, arguments: args })});`,
      `const found = await env.invoke(${app}, event);`,
    ]),
  ];
}
