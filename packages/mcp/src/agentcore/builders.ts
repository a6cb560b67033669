import { isStringMap } from '@sallyport/core/internal';
import { defineOptions, integer, kind, oneOf, string } from '@sallyport/core/options';

/** Options of {@link buildAgentCoreCall}. An unknown key is rejected. */
export interface AgentCoreCallOptions {
  /** The name of the target in the gateway. Default `target`. */
  readonly target?: string;
  /** The headers that the gateway passes on. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A call of a gateway: the event and the client context of the function. */
export interface AgentCoreCall<Event> {
  /** The arguments of the tool. */
  readonly event: Event;
  /** The gateway's data about the call; for `env.lambdaContext({ clientContext })` of `@sallyport/testkit`. */
  readonly clientContext: { readonly custom: Readonly<Record<string, unknown>> };
}

const TEXTS = /* @__PURE__ */ kind<Readonly<Record<string, string>>>('an object of strings', isStringMap);

const AGENT_CORE_CALL = /* @__PURE__ */ defineOptions<AgentCoreCallOptions>()({
  target: string.default('target'),
  headers: TEXTS,
});

/**
 * Builds the call of a tool by a gateway of Amazon Bedrock AgentCore.
 *
 * @param args the arguments from the model; any JSON value
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @see https://docs.aws.amazon.com/bedrock-agentcore/latest/devguide/gateway-add-target-lambda.html
 * @example
 * const { event, clientContext } = buildAgentCoreCall('add_note', { title: 'Milk' }, { headers: { authorization } });
 * await env.invoke(app, event, env.lambdaContext({ clientContext }));
 */
export function buildAgentCoreCall<Event>(
  tool: string,
  args: Event,
  options: AgentCoreCallOptions = {},
): AgentCoreCall<Event> {
  const { target, headers } = AGENT_CORE_CALL.parse(options);
  return {
    event: args,
    clientContext: {
      custom: {
        bedrockAgentCoreMessageVersion: '1.0',
        bedrockAgentCoreAwsRequestId: 'request-1',
        bedrockAgentCoreMcpMessageId: 'message-1',
        bedrockAgentCoreGatewayId: 'gateway-1',
        bedrockAgentCoreTargetId: 'target-1',
        bedrockAgentCoreToolName: `${target}___${tool}`,
        ...(headers && { bedrockAgentCorePropagatedHeaders: { ...headers } }),
      },
    },
  };
}

/** Options of {@link buildInterceptorEvent}. An unknown key is rejected. */
export interface InterceptorEventOptions {
  /** `mcp`: a message of MCP. `http`: a request for another target, whose bodies are base64. Default `mcp`. */
  readonly form?: 'mcp' | 'http';
  /** The body of the request: JSON (`mcp`) or text (`http`). Default: `tools/list`. */
  readonly body?: unknown;
  /** The headers of the request. Default: left out, as without `passRequestHeaders`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The status of the target's answer; with it the event is an answer. Default: the event is a request. */
  readonly responseStatus?: number;
  /** The body of the target's answer. Default: an empty result. */
  readonly responseBody?: unknown;
}

const INTERCEPTOR_EVENT = /* @__PURE__ */ defineOptions<InterceptorEventOptions>()({
  form: oneOf('mcp', 'http').default('mcp'),
  body: kind<unknown>('a body', () => true).default({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  headers: TEXTS,
  responseStatus: integer(100, 599),
  responseBody: kind<unknown>('a body', () => true).default({ jsonrpc: '2.0', id: 1, result: {} }),
});

/**
 * Builds the event of an interceptor of a gateway.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @see https://docs.aws.amazon.com/bedrock-agentcore/latest/devguide/gateway-interceptors-types.html
 */
export function buildInterceptorEvent(options: InterceptorEventOptions = {}): Record<string, unknown> {
  const { form, body, headers, responseStatus, responseBody } = INTERCEPTOR_EVENT.parse(options);
  const encode = (value: unknown) => (form === 'mcp' ? value : Buffer.from(toText(value)).toString('base64'));
  return {
    interceptorInputVersion: '1.0',
    [form]: {
      ...(form === 'mcp' && { rawGatewayRequest: { body: toText(body) } }),
      gatewayRequest: {
        path: form === 'mcp' ? '/mcp' : '/target/invocations',
        httpMethod: 'POST',
        ...(headers && { headers: { ...headers } }),
        body: encode(body),
      },
      ...(responseStatus !== undefined && {
        gatewayResponse: { statusCode: responseStatus, body: encode(responseBody) },
      }),
    },
  };
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
