import {
  FrameworkError,
  type Invocation,
  isFrameworkError,
  type LambdaContext,
  type Surface,
  type SurfaceHost,
  type Target,
  type TriggerRecord,
} from '@sallyport/core';
import { createSurfaceContext, lazily, logRefusal, startSurfaceSpan } from '@sallyport/core/internal';
import { defineOptions, invalidOption, kind } from '@sallyport/core/options';
import type { JsonObject } from '../protocol/types.js';
import { MCP_PATH } from '../routes/paths.js';
import { type ServerData, serverDataOf } from '../server/internal/server-data.js';
import type { McpServer } from '../server/server.js';
import { invalidAgentCall, readAgentCall } from './internal/invocation.js';
import { toToolSchema } from './schema.js';

/** Options of {@link agentCoreTools}. An unknown key is rejected. */
export interface AgentCoreToolsOptions<Posture = unknown> {
  /** Posture of the calls; the caller is resolved from the headers of the gateway. Required in `SecureApp`, rejected in `createApp`. */
  readonly posture?: Posture;
  /** The name of the target in the gateway; calls for another target are rejected. Default: not checked. */
  readonly target?: string;
}

/** Validators and defaults for {@link AgentCoreToolsOptions}. */
export const AGENT_CORE_TOOLS_OPTIONS = /* @__PURE__ */ defineOptions<AgentCoreToolsOptions<object>>()({
  // The container checks the posture.
  posture: kind<object>(
    'a posture: Authenticated(), InternalOnly(), Optional() or Public()',
    (value) => typeof value === 'object' && value !== null,
  ),
  target: kind<string>(
    'the name of a target: letters, digits and hyphens, 1 to 100',
    (value) => typeof value === 'string' && /^[0-9A-Za-z][0-9A-Za-z-]{0,99}$/.test(value),
  ),
});

/** A surface of a container for the calls of a gateway. */
export interface AgentCoreTools extends Surface {
  /** Accepts only invocations of an agent gateway. */
  readonly accepts: readonly ['agent'];
}

const KIND = 'agentcore';

/** The code that runs tools. It is loaded with the first call. */
const loadCall = lazily(() => import('./internal/call.js'));

/**
 * Creates the surface that serves the tools of a server to a gateway of Amazon Bedrock AgentCore with a Lambda target. The gateway sends the
 * name of the tool in the client context, and the model's arguments as the event. A container with this surface passes it every agent
 * invocation, regardless of the event. The answer is the result of the tool: `content`, `structuredContent`, `isError`. Questions to the
 * client are not possible: they lead to a result with `isError`.
 *
 * @throws FrameworkError `app.invalid_configuration` for a server that `createMcpServer` did not create, or an invalid option
 * @see https://docs.aws.amazon.com/bedrock-agentcore/latest/devguide/gateway-add-target-lambda.html
 * @example
 * const app = new SecureApp({
 *   principalResolver,
 *   surfaces: [agentCoreTools(server, { target: 'notes', posture: Authenticated('notes:read') })],
 * });
 */
export function agentCoreTools<Posture>(
  server: McpServer,
  options: AgentCoreToolsOptions<Posture> = {},
): AgentCoreTools {
  const data = serverDataOf(server);
  if (!data) throw invalidOption('server', 'made by createMcpServer');
  const { posture, target } = AGENT_CORE_TOOLS_OPTIONS.parse(options as AgentCoreToolsOptions<object>);
  return new ToolsSurface(server, data, posture, target);
}

class ToolsSurface implements AgentCoreTools {
  readonly serves = [KIND];
  readonly accepts = ['agent'] as const;
  readonly #server: McpServer;
  readonly #data: ServerData;
  readonly #posture: object | undefined;
  readonly #target: string | undefined;
  #host: SurfaceHost | undefined;

  constructor(server: McpServer, data: ServerData, posture: object | undefined, target: string | undefined) {
    this.#server = server;
    this.#data = data;
    this.#posture = posture;
    this.#target = target;
  }

  attach(host: SurfaceHost): void {
    if (host.gate) host.gate.assertPosture(this.#posture, 'agentCoreTools');
    else if (this.#posture) throw invalidOption('posture', 'left out: only SecureApp has postures');
    this.#host = host;
  }

  /** Rejects a call that the gate rejects, or without a tool of this target; it is logged once. */
  async serve(_kind: string, event: unknown, { lambdaContext }: Invocation): Promise<JsonObject> {
    const host = this.#host;
    if (!host) throw new Error('framework: mcp: pass agentCoreTools() in the option "surfaces" of a container');
    try {
      return await this.#call(host, event, lambdaContext);
    } catch (thrown) {
      const error = isFrameworkError(thrown)
        ? thrown
        : new FrameworkError('app.internal', undefined, { cause: thrown });
      logRefusal(host.log, error, lambdaContext, KIND);
      throw error;
    }
  }

  async #call(host: SurfaceHost, args: unknown, lambdaContext: LambdaContext | undefined): Promise<JsonObject> {
    const call = readAgentCall(lambdaContext);
    if (this.#target !== undefined && call.target !== this.#target) {
      throw invalidAgentCall('it is for another target');
    }
    // The context contains no data of the event: the model's input must not become a header, a caller or an event.
    const { headers } = call;
    const { context, end } = createSurfaceContext(host, {
      kind: KIND,
      event: undefined,
      lambdaContext,
      path: MCP_PATH,
      headers,
    });
    startSurfaceSpan(host.observability, context, 'mcp');
    try {
      await host.gate?.authorize(this.#posture, context);
      const { callForAgent } = await loadCall();
      return await callForAgent(this.#data, context, call.tool, args);
    } finally {
      await end();
    }
  }

  explainTarget(): Target {
    const posture = this.#posture === undefined ? null : String((this.#posture as { kind?: unknown }).kind);
    return { handler: null, posture, outcome: 'handled', projection: 'MCP tool result' };
  }

  /** @throws FrameworkError `mcp.invalid_registration` for a tool that {@link toToolSchema} rejects */
  triggers(): readonly TriggerRecord[] {
    return toToolSchema(this.#server).map(({ name, ...schema }) => ({
      kind: KIND,
      name,
      options: { ...schema, ...(this.#target !== undefined && { target: this.#target }) },
    }));
  }
}
