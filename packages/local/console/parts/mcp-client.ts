import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { authorization } from '../api.js';

/** The two generations of the protocol: with sessions, and stateless. */
export type Era = 'auto' | 'sessions' | 'stateless';

/** A question of a server during a call. */
export interface Question {
  readonly message: string;
  readonly requestedSchema?: unknown;
  readonly url?: string;
}

/** The user's answer to a question. */
export type Answer =
  | { readonly action: 'accept'; readonly content: Record<string, string | number | boolean | string[]> }
  | { readonly action: 'decline' | 'cancel' };

/** The tools, resources and prompts of a server. */
export interface Offer {
  readonly protocol: string;
  readonly tools: readonly {
    readonly name: string;
    readonly description?: string | undefined;
    readonly inputSchema: unknown;
  }[];
  readonly resources: readonly { readonly uri: string; readonly name: string }[];
  readonly prompts: readonly {
    readonly name: string;
    readonly description?: string | undefined;
    readonly arguments?: unknown;
  }[];
}

/** A client of the protocol's package, connected to a server. */
export interface McpConnection {
  offer(): Promise<Offer>;
  callTool(name: string, args: Record<string, unknown>): Promise<unknown>;
  readResource(uri: string): Promise<unknown>;
  getPrompt(name: string, args: Record<string, string>): Promise<unknown>;
  close(): Promise<void>;
}

const MODES = { auto: 'auto', sessions: 'legacy', stateless: { pin: '2026-07-28' } } as const;

/** Connects to an MCP server of the service, through the HTTP API door. */
export async function connectMcp(options: {
  readonly path: string;
  readonly era: Era;
  readonly token: string;
  readonly ask: (question: Question) => Promise<Answer>;
}): Promise<McpConnection> {
  const client = new Client(
    { name: 'sallyport-console', version: '1.0.0' },
    { capabilities: { elicitation: {} }, versionNegotiation: { mode: MODES[options.era] } },
  );
  client.setRequestHandler('elicitation/create', async ({ params }) => await options.ask(params as Question));
  const transport = new StreamableHTTPClientTransport(new URL(`${location.origin}/door/gateway-v2${options.path}`), {
    fetch: async (input, init) =>
      asAnswered(await fetch(input, { ...init, headers: withTokens(init?.headers, options.token) })),
  });
  await client.connect(transport);
  const has = client.getServerCapabilities() ?? {};
  return {
    async offer() {
      return {
        protocol: `${client.getNegotiatedProtocolVersion() ?? ''}`,
        tools: has.tools ? (await client.listTools()).tools : [],
        resources: has.resources ? (await client.listResources()).resources : [],
        prompts: has.prompts ? (await client.listPrompts()).prompts : [],
      };
    },
    callTool: (name, args) => client.callTool({ name, arguments: args }),
    readResource: (uri) => client.readResource({ uri }),
    getPrompt: (name, args) => client.getPrompt({ name, arguments: args }),
    close: () => client.close(),
  };
}

/** Statuses that have no body (Fetch standard, null body status). */
const NO_BODY: readonly number[] = [101, 204, 205, 304];

/** The response with the status of the door. */
function asAnswered(answer: Response): Response {
  const status = Number(answer.headers.get('door-status') ?? answer.status);
  const { headers } = answer;
  return new Response(NO_BODY.includes(status) ? null : answer.body, { status, headers });
}

function withTokens(given: HeadersInit | undefined, token: string): Headers {
  const headers = new Headers(given);
  if (token !== '') headers.set('door-authorization', `Bearer ${token}`);
  for (const [name, value] of Object.entries(authorization())) headers.set(name, value);
  return headers;
}
