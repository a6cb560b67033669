import type { Logger } from '@sallyport/core';
import { SecureApp, type SecureOptions } from '@sallyport/secure';
import { statelessHeaders, statelessMessage, toEvent } from './rig.js';

/** An application whose callers are named by headers: `x-user`, `x-kind` and `x-scopes`. */
export function appOf(options: Pick<SecureOptions, 'observability' | 'log' | 'policyHook'> & { log?: Logger } = {}) {
  return new SecureApp({
    principalResolver: (ctx) => {
      const identity = ctx.header('x-user') ?? '';
      if (identity === '') return null;
      const kind = ctx.header('x-kind') === 'internal' ? 'internal' : 'external';
      return { identity, kind, scopes: (ctx.header('x-scopes') ?? '').split(' '), tenantId: 'acme' };
    },
    ...{ log: false, ...options },
  });
}

/** Headers of a caller with scopes. */
export const caller = (identity: string, scopes = '', more: object = {}) => ({
  'x-user': identity,
  'x-scopes': scopes,
  ...more,
});

/** The answer of one stateless request to an application. */
export interface Asked {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers are read member by member.
  readonly json: any;
  /** Messages of an event stream. */
  // biome-ignore lint/suspicious/noExplicitAny: messages are read member by member.
  readonly events: readonly any[];
}

/** Sends one request of the stateless era through a function URL. */
export async function ask(
  app: SecureApp,
  method: string,
  params: object = {},
  headers: object = {},
  { path = '/mcp', meta = {} }: { path?: string; meta?: object } = {},
): Promise<Asked> {
  const message = JSON.stringify(statelessMessage(1, method, params, {}, meta));
  const event = toEvent('POST', message, { headers: { ...statelessHeaders(method, params), ...headers }, path });
  const context = { awsRequestId: 'r-1', getRemainingTimeInMillis: () => 30_000 };
  const answer = (await app.serveLambdaFunctionURL(event, context)) as {
    readonly statusCode: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
  const isStream = (answer.headers['content-type'] ?? '').startsWith('text/event-stream');
  const events = isStream
    ? [...answer.body.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => JSON.parse(data ?? ''))
    : [];
  return { status: answer.statusCode, json: isStream ? events.at(-1) : JSON.parse(answer.body || 'null'), events };
}

/** The result of a tool call. */
export async function callTool(app: SecureApp, name: string, args: unknown, headers: object = {}, more: object = {}) {
  const { json } = await ask(app, 'tools/call', { name, arguments: args }, headers, more);
  return json.result ?? json.error;
}

/** Names of the tools that a caller sees. */
export async function toolNames(app: SecureApp, headers: object = {}, more: object = {}): Promise<readonly string[]> {
  const { json } = await ask(app, 'tools/list', {}, headers, more);
  return json.result.tools.map(({ name }: { name: string }) => name);
}
