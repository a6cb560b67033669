import type {
  LambdaContext,
  MaybePromise,
  SecurePrincipal,
  SurfaceHost,
  TriggerKind,
  TriggerRecord,
} from '@sallyport/core';
import { isFrameworkError } from '@sallyport/core';
import {
  copyPrincipal,
  fromJson,
  isObject,
  isText,
  type Members,
  membersOf,
  rejectWithoutEventKey,
  stringOf,
  toClientError,
} from '@sallyport/core/internal';
import type { Delivered, EventHandler, KeylessEventContext } from '@sallyport/streams/delivery';
import { invalidAnswer, invalidEvent, refused } from '../errors.js';
import { toJson } from '../internal/answer.js';
import { assertPosture, passGate } from '../internal/gate.js';
import { type HandlerEntry, NamedTrigger } from '../internal/handlers.js';
import { recordsOf, requiredText, sourceOf } from '../internal/read.js';
import { respond } from '../internal/respond.js';
import { defineTrigger } from '../internal/surface.js';

/** An action of an agent: https://docs.aws.amazon.com/bedrock/latest/userguide/agents-lambda.html. */
export interface AgentAction {
  /** The name of the action group. */
  readonly actionGroup: string;
  /** The function, or the method and the path of the API operation: `GET /orders/{id}`. */
  readonly operation: string;
  /** The parameters and the properties of the request body, converted by their types. A model chose the values. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** The user's text. */
  readonly inputText: string;
  /** The id of the session. */
  readonly sessionId: string;
  /** Name, id, alias and version of the agent. */
  readonly agent: Readonly<Record<string, unknown>>;
  /** Attributes of the session, which the application that invokes the agent writes. */
  readonly sessionAttributes: Readonly<Record<string, unknown>>;
  /** Attributes of this turn. */
  readonly promptSessionAttributes: Readonly<Record<string, unknown>>;
  /** The caller's principal from the gate of `SecureApp`; `null` for an anonymous caller. */
  readonly principal: SecurePrincipal | null;
}

/** The result of an action. */
export interface AgentAnswer {
  /** The content for the model: text, or a value that is sent as JSON. */
  readonly body: unknown;
  /** The status of an API operation, 100 to 599. Default 200. */
  readonly status?: number;
  /** `REPROMPT` passes the body to the model for another attempt, `FAILURE` fails the turn. Default: none. */
  readonly state?: 'FAILURE' | 'REPROMPT';
  /** Attributes of the session. Default: unchanged. */
  readonly sessionAttributes?: Readonly<Record<string, string>>;
  /** Attributes of the next turn. Default: unchanged. */
  readonly promptSessionAttributes?: Readonly<Record<string, string>>;
}

/** Runs an action. A throw fails it; the model receives the message of a FrameworkError. */
export type AgentActionHandler = (ctx: KeylessEventContext, action: AgentAction) => MaybePromise<AgentAnswer | string>;

/** Row, natural key and answer of Bedrock agents. @internal */
export const BEDROCK_AGENT_TRIGGER = /* @__PURE__ */ defineTrigger({
  kind: 'bedrock-agent',
  anyOf: [
    [
      { path: 'messageVersion', test: 'text' },
      { path: 'actionGroup', test: 'text' },
      { path: 'function', test: 'text' },
      { path: 'agent', test: 'object' },
    ],
  ],
  sample: { messageVersion: '1.0', actionGroup: 'g', function: 'f', agent: {} },
  // A session has several actions, and an event has no id.
  key: undefined,
  answer: 'response of an action',
});

/** True for an API operation of an agent, which has the method of a REST request. */
function isOperation(event: unknown): boolean {
  const members = membersOf(event);
  // Most events are requests of a REST API: they cost one reading.
  if (!isText(members.apiPath)) return false;
  return isText(members.messageVersion) && isText(members.actionGroup) && isObject(members.agent);
}

/** Handlers of the actions of Bedrock agents. */
export class BedrockAgent extends NamedTrigger {
  readonly #postures = new Map<string, unknown>();
  #host: SurfaceHost | undefined;

  constructor() {
    super(BEDROCK_AGENT_TRIGGER, 'action');
  }

  /** Events of API operations satisfy the row of a REST API, because they have a method. */
  claims(kind: TriggerKind | undefined, event: unknown): boolean {
    return kind === 'gateway-v1' && isOperation(event);
  }

  /**
   * Registers the handler of a function of an action group that is defined with function details.
   *
   * @param posture access rule for callers of the agent: required in `SecureApp`, not supported elsewhere
   * @throws FrameworkError `app.invalid_configuration` for a blank or repeated name, or a handler that is not a function
   * @example bedrockAgent().function('orders', 'find', (ctx, { payload }) => ({ body: find(payload.id) }), Public());
   */
  function(actionGroup: string, name: string, handler: AgentActionHandler, posture?: object): this {
    return this.#on(actionGroup, name, handler, posture);
  }

  /**
   * Registers the handler of an operation of an action group that is defined with an API schema.
   *
   * @param posture access rule for callers of the agent: required in `SecureApp`, not supported elsewhere
   * @throws FrameworkError `app.invalid_configuration` for a blank or repeated operation, or a handler that is not a function
   * @example bedrockAgent().operation('orders', 'GET', '/orders/{id}', (ctx, { payload }) => ({ body: find(payload.id) }), Public());
   */
  operation(actionGroup: string, method: string, path: string, handler: AgentActionHandler, posture?: object): this {
    return this.#on(
      actionGroup,
      [method, path].every(isText) ? `${method.toUpperCase()} ${path}` : '',
      handler,
      posture,
    );
  }

  #on(actionGroup: string, operation: string, handler: AgentActionHandler, posture: unknown): this {
    if (!isText(actionGroup) || !isText(operation))
      throw refused('bedrock-agent: action group and operation must be names');
    rejectWithoutEventKey(this.kind, handler);
    const name = `${actionGroup} ${operation}`;
    if (this.#host) assertPosture(this.#host, posture, name);
    this.add(name, handler as EventHandler<never>);
    this.#postures.set(name, posture);
    return this;
  }

  /**
   * Called by the container that the surface is passed to.
   *
   * @throws FrameworkError `framework: invalid auth posture` for an action without posture in `SecureApp`, or with a posture elsewhere
   */
  override attach(host: SurfaceHost): void {
    for (const [name, posture] of this.#postures) assertPosture(host, posture, name);
    this.#host = host;
    super.attach(host);
  }

  /** Action groups with their operations, in order. */
  override triggers(): readonly TriggerRecord[] {
    return this.names.map((place) => {
      const at = place.indexOf(' ');
      return { kind: this.kind, name: place.slice(at + 1), options: { actionGroup: place.slice(0, at) } };
    });
  }

  protected override read(event: unknown): readonly Delivered[] {
    const { actionGroup, apiPath, httpMethod, parameters = [], requestBody, agent, ...rest } = membersOf(event);
    const group = requiredText(this.kind, 'actionGroup', actionGroup);
    const operation =
      apiPath === undefined
        ? requiredText(this.kind, 'function', rest.function)
        : `${requiredText(this.kind, 'httpMethod', httpMethod).toUpperCase()} ${requiredText(this.kind, 'apiPath', apiPath)}`;
    const content = Object.values(membersOf(membersOf(requestBody).content))[0];
    const body = membersOf(content).properties ?? [];
    const record: AgentAction = {
      actionGroup: group,
      operation,
      payload: { ...this.#values('parameters', parameters), ...this.#values('requestBody', body) },
      inputText: stringOf(rest.inputText),
      sessionId: stringOf(rest.sessionId),
      agent: membersOf(agent),
      sessionAttributes: membersOf(rest.sessionAttributes),
      promptSessionAttributes: membersOf(rest.promptSessionAttributes),
      principal: null,
    };
    const name = `${group} ${operation}`;
    const entry = this.handlerOf(name, name);
    if (this.#postures.get(name) !== undefined && !this.#host?.gate) throw refused('postures need SecureApp');
    return [{ ...entry, record, id: '', source: sourceOf(stringOf(membersOf(agent).name), '') }];
  }

  /** @throws FrameworkError `triggers.invalid_event` for a name that occurs twice */
  #values(place: string, list: unknown): Members {
    const values = new Map<string, unknown>();
    for (const [index, { name, type, value }] of recordsOf(this.kind, place, list).entries()) {
      const key = requiredText(this.kind, `${place}[${index}].name`, name);
      if (values.has(key)) throw invalidEvent(this.kind, `${place}[${index}].name is not unique`);
      values.set(key, toValue(type, value));
    }
    return Object.fromEntries(values);
  }

  protected override async answer(
    [item]: readonly Delivered[],
    lambdaContext: LambdaContext | undefined,
    event: unknown,
  ): Promise<unknown> {
    const { name, record } = item as Delivered & HandlerEntry;
    const passed = await passGate(this.#host, this.delivery, this.#postures.get(name), {
      ...{ kind: this.kind, event, lambdaContext },
      path: `/${name.replaceAll(' ', '/')}`,
    });
    if ('thrown' in passed) return toResponse(event, failed(passed.thrown));
    const { principal } = passed;
    const known = { ...(record as AgentAction), principal: principal && copyPrincipal(principal) };
    return respond(
      this.delivery,
      { ...(item as Delivered), record: known },
      lambdaContext,
      (result) => toResponse(event, toAnswer(result)),
      (thrown) => toResponse(event, failed(thrown)),
    );
  }
}

/** Values are text. A value that does not have its type is kept as text, for the schema of the application. */
function toValue(type: unknown, value: unknown): unknown {
  if (type === 'string' || typeof value !== 'string') return value;
  const parsed = fromJson(value);
  const wanted = type === 'integer' ? 'number' : type;
  const found = Array.isArray(parsed) ? 'array' : typeof parsed;
  return found === wanted ? parsed : value;
}

const ATTRIBUTES = ['sessionAttributes', 'promptSessionAttributes'] as const;

/** @throws FrameworkError `triggers.invalid_answer` for a result that the agent could not read */
function toAnswer(result: unknown): AgentAnswer {
  if (typeof result === 'string') return { body: result };
  const given = toJson('the result', result ?? null);
  const { body, status, state, ...attributes } = membersOf(given);
  const isStatus = status === undefined || (Number.isInteger(status) && Number(status) >= 100 && Number(status) <= 599);
  const isState = state === undefined || state === 'FAILURE' || state === 'REPROMPT';
  const isFlat = Object.entries(attributes).every(([name, values]) => {
    const known = (ATTRIBUTES as readonly string[]).includes(name) && membersOf(values) === values;
    return known && Object.values(membersOf(values)).every((value) => typeof value === 'string');
  });
  if (membersOf(given) !== given || body === undefined || !isStatus || !isState || !isFlat) {
    throw invalidAnswer('must be a string or { body, status, state, sessionAttributes, promptSessionAttributes }');
  }
  return given as AgentAnswer;
}

/** The model receives the message of a FrameworkError and may try again after an error of the caller. */
function failed(thrown: unknown): AgentAnswer {
  const { message, status } = toClientError(thrown);
  const isCallers = isFrameworkError(thrown) && status >= 400 && status < 500 && status !== 401 && status !== 403;
  return { body: message.slice(0, 1_000), status, state: isCallers ? 'REPROMPT' : 'FAILURE' };
}

/** The document of an action: https://docs.aws.amazon.com/bedrock/latest/userguide/agents-lambda.html. */
function toResponse(event: unknown, { body, status = 200, state, ...attributes }: AgentAnswer): object {
  const { actionGroup, apiPath, httpMethod, function: name } = membersOf(event);
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const isApi = apiPath !== undefined;
  const responseState = state !== undefined && { responseState: state };
  const response = isApi
    ? { actionGroup, apiPath, httpMethod, httpStatusCode: status, responseBody: { 'application/json': { body: text } } }
    : { actionGroup, function: name, functionResponse: { ...responseState, responseBody: { TEXT: { body: text } } } };
  return { messageVersion: '1.0', response: isApi ? { ...response, ...responseState } : response, ...attributes };
}

/**
 * Makes the surface for action groups of Bedrock agents, by function details and by API schemas. A user talks to the agent, so in
 * `SecureApp` each action has a posture; a principal resolver reads `sessionAttributes` of `ctx.event`.
 *
 * @example
 * const agent = bedrockAgent().function('orders', 'find', (ctx, { payload }) => ({ body: find(payload.id) }), Authenticated());
 * const app = new SecureApp({ principalResolver, surfaces: [agent] });
 */
export function bedrockAgent(): BedrockAgent {
  return new BedrockAgent();
}
