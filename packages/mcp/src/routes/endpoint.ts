import { assertText, routeError, trimBlanks } from './internal/text.js';
import { normalizeMcpPath, PARAM_AGENT_ID, PARAM_CLIENT_NAMESPACE, PARAM_PARTNER_ID } from './paths.js';

/** Kind of an MCP endpoint. */
export type EndpointKind = 'namespace' | 'partner_namespace' | 'agent' | 'partner_agent';

/**
 * One MCP endpoint: its kind, and exactly the identifiers of this kind: the client's namespace, a partner in it, and an agent of the
 * namespace or of the partner. An identifier is not blank, not `.` and not `..`, and does not contain `/`. It is inserted into the path
 * without escaping.
 */
export type McpEndpoint =
  | { readonly kind: 'namespace'; readonly clientNamespace: string }
  | { readonly kind: 'partner_namespace'; readonly clientNamespace: string; readonly partnerId: string }
  | { readonly kind: 'agent'; readonly clientNamespace: string; readonly agentId: string }
  | {
      readonly kind: 'partner_agent';
      readonly clientNamespace: string;
      readonly partnerId: string;
      readonly agentId: string;
    };

type Identifier = 'clientNamespace' | 'partnerId' | 'agentId';

/** One segment of a pattern: a fixed string, or an identifier. */
type Segment = string | { readonly identifier: Identifier };

const NAMESPACE = { identifier: 'clientNamespace' } as const;
const PARTNER = { identifier: 'partnerId' } as const;
const AGENT = { identifier: 'agentId' } as const;

/** The patterns of all kinds, in the order of the contract. No path matches two of them. */
const PATTERNS: Readonly<Record<EndpointKind, readonly Segment[]>> = {
  namespace: [NAMESPACE, 'mcp'],
  partner_namespace: [NAMESPACE, 'partners', PARTNER, 'mcp'],
  agent: [NAMESPACE, 'agents', AGENT, 'mcp'],
  partner_agent: [NAMESPACE, 'partners', PARTNER, 'agents', AGENT, 'mcp'],
};

/** Name of the route parameter of an identifier. */
const PARAMETERS: Readonly<Record<Identifier, string>> = {
  clientNamespace: PARAM_CLIENT_NAMESPACE,
  partnerId: PARAM_PARTNER_ID,
  agentId: PARAM_AGENT_ID,
};

/** All kinds, in the order of the contract. */
export const ENDPOINT_KINDS: readonly EndpointKind[] = Object.freeze([
  'namespace',
  'partner_namespace',
  'agent',
  'partner_agent',
] as const);

/**
 * The endpoint of a path. If the fixed segments of the path match a pattern before normalization, this pattern applies, and `.` and `..`
 * are invalid identifiers. Only a path that matches no pattern is normalized and tried again. So `..` never changes one endpoint into
 * another.
 *
 * @throws TypeError with the code `mcp.invalid_route` for a path that matches no pattern, or has an invalid identifier
 * @example parseMcpPath('/acme/agents/bot/mcp'); // { kind: 'agent', clientNamespace: 'acme', agentId: 'bot' }
 */
export function parseMcpPath(path: string): McpEndpoint {
  assertText(path, 'a path');
  const found = match(trimBlanks(path)) ?? match(normalizeMcpPath(path));
  if (!found) throw routeError('the path is not the path of an MCP endpoint');
  return validateEndpoint(found);
}

/** The endpoint whose pattern matches the fixed segments of a path; its identifiers are not checked. */
function match(path: string): McpEndpoint | undefined {
  const segments = path.split('/').filter((segment) => segment !== '');
  const matches = (part: Segment, at: number) => typeof part !== 'string' || part === segments[at];
  const kind = ENDPOINT_KINDS.find((one) => PATTERNS[one].length === segments.length && PATTERNS[one].every(matches));
  return kind && fillEndpoint(kind, (_, at) => segments[at]);
}

/** An endpoint whose identifiers are not checked; they are read by name and by position in the pattern. */
function fillEndpoint(kind: EndpointKind, textOf: (name: Identifier, at: number) => string | undefined): McpEndpoint {
  const endpoint: Record<string, string | undefined> = { kind };
  for (const [at, part] of PATTERNS[kind].entries()) {
    if (typeof part !== 'string') endpoint[part.identifier] = textOf(part.identifier, at);
  }
  return endpoint as unknown as McpEndpoint;
}

/**
 * The endpoint of a kind whose identifiers are route parameters.
 *
 * @throws TypeError with the code `mcp.invalid_route` for a missing or invalid identifier
 */
export function endpointOfParams(kind: EndpointKind, params: Readonly<Record<string, string>>): McpEndpoint {
  return validateEndpoint(fillEndpoint(kind, (name) => params[PARAMETERS[name]]));
}

/**
 * Checks an endpoint that {@link parseMcpPath} has not created.
 *
 * @returns a frozen copy
 * @throws TypeError with the code `mcp.invalid_route` for an unknown kind, an identifier that is missing, invalid or not of this
 *   kind, and for any other member
 */
function validateEndpoint(endpoint: McpEndpoint): McpEndpoint {
  if (typeof endpoint !== 'object' || endpoint === null) throw routeError('an endpoint must be an object');
  const { kind, ...given } = endpoint as McpEndpoint & Readonly<Record<string, unknown>>;
  if (!ENDPOINT_KINDS.includes(kind)) throw routeError(`the kind must be one of ${ENDPOINT_KINDS.join(', ')}`);
  const wanted = PATTERNS[kind].flatMap((part) => (typeof part === 'string' ? [] : [part.identifier]));
  const checked = wanted.map((name) => [name, validIdentifier(given[name], PARAMETERS[name])] as const);
  const surplus = Object.keys(given).some((name) => given[name] !== undefined && !wanted.includes(name as Identifier));
  if (surplus) throw routeError(`an endpoint of kind ${kind} must not have other members`);
  return Object.freeze({ kind, ...Object.fromEntries(checked) }) as McpEndpoint;
}

function validIdentifier(value: unknown, parameter: string): string {
  assertText(value, parameter);
  const text = trimBlanks(value);
  if (text === '' || text === '.' || text === '..' || text.includes('/')) {
    throw routeError(`${parameter} must not be blank, "." or "..", and must not contain "/"`);
  }
  return value;
}

/** The pattern of a kind in the router's syntax. */
export function patternOf(kind: EndpointKind): string {
  return toPath(PATTERNS[kind], (identifier) => `{${PARAMETERS[identifier]}}`);
}

function toPath(pattern: readonly Segment[], fill: (identifier: Identifier) => string): string {
  return `/${pattern.map((part) => (typeof part === 'string' ? part : fill(part.identifier))).join('/')}`;
}

/**
 * The path of an endpoint. Its identifiers are not escaped.
 *
 * @throws TypeError with the code `mcp.invalid_route` for an unknown kind, an identifier that is missing, invalid or not of this
 *   kind, and for any other member
 * @example mcpPathFor({ kind: 'namespace', clientNamespace: 'acme' }); // '/acme/mcp'
 */
export function mcpPathFor(endpoint: McpEndpoint): string {
  const valid: McpEndpoint & { readonly [I in Identifier]?: string } = validateEndpoint(endpoint);
  return toPath(PATTERNS[valid.kind], (identifier) => valid[identifier] ?? '');
}
