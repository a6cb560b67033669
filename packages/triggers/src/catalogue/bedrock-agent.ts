import { defineOptions, object, oneOf, string } from '@sallyport/core/options';
import { BEDROCK_AGENT_TRIGGER, bedrockAgent } from '../kinds/bedrock-agent.js';
import { describeTrigger } from './entry.js';

/** Options of {@link buildBedrockAgentEvent}. */
export interface BedrockAgentEventOptions {
  /** The definition of the action group. Default `function`. */
  readonly schema?: 'function' | 'api';
  /** The action group. Default `orders`. */
  readonly actionGroup?: string;
  /** The method of an API operation. Default `GET`. */
  readonly method?: string;
  /** String parameters by name. Default: none. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Attributes of the session. Default: none. */
  readonly sessionAttributes?: Readonly<Record<string, string>>;
}

const BEDROCK_AGENT_EVENT = /* @__PURE__ */ defineOptions<BedrockAgentEventOptions>()({
  schema: oneOf('function', 'api').default('function'),
  actionGroup: string.default('orders'),
  method: string.default('GET'),
  parameters: object<Readonly<Record<string, string>>>(),
  sessionAttributes: object<Readonly<Record<string, string>>>(),
});

/** An action of an agent, in the form of its documentation. */
export interface BedrockAgentEvent {
  /** `1.0`. */
  readonly messageVersion: string;
  /** The agent. */
  readonly agent: { readonly name: string; readonly id: string; readonly alias: string; readonly version: string };
  /** The user's text. */
  readonly inputText: string;
  /** The id of the session. */
  readonly sessionId: string;
  /** The action group. */
  readonly actionGroup: string;
  /** The function; absent for an API operation. */
  readonly function?: string;
  /** The path of an API operation. */
  readonly apiPath?: string;
  /** The method of an API operation. */
  readonly httpMethod?: string;
  /** Parameters, with their values as text. */
  readonly parameters: { readonly name: string; readonly type: string; readonly value: string }[];
  /** Attributes of the session. */
  readonly sessionAttributes: Record<string, string>;
  /** Attributes of this turn. */
  readonly promptSessionAttributes: Record<string, string>;
}

/**
 * Builds an action of a Bedrock agent.
 *
 * @param operation the function, or the path of an API operation
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/agents-lambda.html
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @example buildBedrockAgentEvent('/orders/{id}', { schema: 'api', parameters: { id: '5' } });
 */
export function buildBedrockAgentEvent(operation: string, options: BedrockAgentEventOptions = {}): BedrockAgentEvent {
  const { schema, actionGroup, method, parameters = {}, sessionAttributes = {} } = BEDROCK_AGENT_EVENT.parse(options);
  return {
    messageVersion: '1.0',
    agent: { name: 'shop', id: 'AGENT1', alias: 'ALIAS1', version: '1' },
    inputText: 'hello',
    sessionId: 'session-1',
    actionGroup,
    ...(schema === 'api' ? { apiPath: operation, httpMethod: method } : { function: operation }),
    parameters: Object.entries(parameters).map(([name, value]) => ({ name, type: 'string', value })),
    sessionAttributes: { ...sessionAttributes },
    promptSessionAttributes: {},
  };
}

/** Actions of Bedrock agents in the catalogue. @internal */
export const BEDROCK_AGENT = /* @__PURE__ */ describeTrigger(BEDROCK_AGENT_TRIGGER, {
  sample: {
    build: buildBedrockAgentEvent,
    events: [[buildBedrockAgentEvent('find', { parameters: { id: '5' } }), undefined]],
    names: ['find'],
    result: { body: 'found' },
    register: (handlers) =>
      handlers.reduce((agent, [name, handler]) => agent.function('orders', name, handler), bedrockAgent()),
  },
  docs: {
    section: 'Bedrock agents',
    rows: [
      [
        '`bedrockAgent()` with `function(actionGroup, name, handler, posture)` and `operation(actionGroup, method, path, handler, posture)`; `BedrockAgent`, `AgentActionHandler`, `AgentAction`, `AgentAnswer`',
        'action groups of Bedrock agents',
      ],
    ],
  },
  construct: null,
  simulate: null,
  aws: {
    author: 'Bedrock; a model chose the values of parameters, the application the attributes',
    failure: 'the turn of the agent fails with `DependencyFailedException`',
    limit: '6 MB',
    attached: 'the action group',
  },
  hint: ['gateway-v1', 'a Bedrock action', 'actionGroup'],
  sizes: { factory: 'bedrockAgent', gzipBytes: 16_150 },
});
