/** A kind of project. */
export interface Template {
  /** One line for `--list`. */
  readonly shows: string;
  /** Folders of `templates/`, copied over each other in this order. */
  readonly parts: readonly string[];
  /** Sallyport packages that its code imports. */
  readonly packages: readonly string[];
  /** Other packages that its code imports, or that our packages import for it. */
  readonly libraries: readonly string[];
}

/** The clients for the table of connections, and for sending to connections. */
const AWS_CLIENTS = ['@aws-sdk/client-apigatewaymanagementapi', '@aws-sdk/client-dynamodb'];

/** Every kind of project that can be made. */
export const TEMPLATES = {
  api: {
    shows: 'an HTTP API: postures, tokens, validation',
    parts: ['notes', 'api'],
    packages: ['core', 'http', 'secure'],
    libraries: ['zod'],
  },
  events: {
    shows: 'two queues, a data stream and a schedule: partial failures, retries',
    parts: ['orders', 'events'],
    packages: ['secure', 'streams'],
    libraries: ['zod'],
  },
  graphql: {
    shows: 'fields of an AppSync API: a schema, postures, the error object',
    parts: ['books', 'graphql'],
    packages: ['appsync', 'core', 'secure'],
    libraries: [],
  },
  websocket: {
    shows: 'a WebSocket API: a connection registry, broadcasts',
    parts: ['chat', 'websocket'],
    packages: ['connections', 'core', 'http', 'secure'],
    libraries: AWS_CLIENTS,
  },
  mcp: {
    shows: 'an MCP server: a tool, a resource, tokens; it streams',
    parts: ['tools', 'mcp'],
    packages: ['http', 'mcp', 'secure'],
    libraries: ['zod'],
  },
  full: {
    shows: 'all of these in one function',
    parts: ['notes', 'orders', 'books', 'chat', 'tools', 'full'],
    packages: ['appsync', 'connections', 'core', 'http', 'mcp', 'secure', 'streams'],
    libraries: [...AWS_CLIENTS, 'zod'],
  },
} as const satisfies Readonly<Record<string, Template>>;

export type TemplateName = keyof typeof TEMPLATES;

export function isTemplate(name: string): name is TemplateName {
  return Object.hasOwn(TEMPLATES, name);
}

/** The supported ways to deploy. */
export const INFRAS = ['cdk', 'none'] as const;
