import type { LambdaContext, MaybePromise, SecurePrincipal, SurfaceHost } from '@sallyport/core';
import { copyPrincipal, rejectWithoutEventKey } from '@sallyport/core/internal';
import { attempt, type Delivered, type EventHandler, type KeylessEventContext } from '@sallyport/streams/delivery';
import { refused } from '../errors.js';
import { AliasTrigger } from '../internal/aliases.js';
import { publicFailure, toJson, withinLimit } from '../internal/answer.js';
import { assertPosture, passGate } from '../internal/gate.js';
import { InvokeError } from '../internal/invoke-error.js';
import { sourceOf } from '../internal/read.js';
import { defineTrigger } from '../internal/surface.js';

/**
 * A request of a non-proxy integration:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-custom-integrations.html.
 */
export interface MappedRequest {
  /** The output of the mapping template, or the client's body if the integration has no template. A client wrote parts of it. */
  readonly payload: unknown;
  /** The alias that the integration invokes. */
  readonly alias: string;
  /** The caller's principal from the gate of `SecureApp`; `null` for an anonymous caller. */
  readonly principal: SecurePrincipal | null;
}

/** Answers a request. Its result is the body of the integration response; a throw selects the response by the code of a FrameworkError. */
export type MappedRequestHandler = (ctx: KeylessEventContext, request: MappedRequest) => MaybePromise<unknown>;

/** Answer of non-proxy integrations of API Gateway. The mapping template determines the shape of an event. @internal */
export const INTEGRATION_TRIGGER = /* @__PURE__ */ defineTrigger({
  kind: 'integration',
  // A client writes the body and the parameters: the alias of the invocation selects the handler.
  anyOf: [],
  sample: {},
  // The output of a template has no id.
  key: undefined,
  answer: 'body of the integration response',
});

/** Handlers of non-proxy integrations of API Gateway. */
export class ApiIntegration extends AliasTrigger {
  readonly #postures = new Map<string, unknown>();
  #host: SurfaceHost | undefined;

  constructor() {
    super(INTEGRATION_TRIGGER);
  }

  /**
   * Registers the handler of an integration of type `AWS`. Register before the container is created.
   *
   * @param alias the alias of the function in the URI of the integration, which only this API invokes
   * @param posture access rule for callers of the API: required in `SecureApp`, not supported elsewhere
   * @throws FrameworkError `app.invalid_configuration` for a name that is not an alias or is repeated, or a handler that is not a function
   * @example apiIntegration().operation('quotes', payload(Quote, (ctx, { amount }) => ({ price: priceOf(amount) })), Public());
   */
  operation(alias: string, handler: MappedRequestHandler, posture?: object): this {
    rejectWithoutEventKey(this.kind, handler);
    this.add(alias, handler as EventHandler<never>);
    this.#postures.set(alias, posture);
    return this;
  }

  /**
   * Called by the container that the surface is passed to.
   *
   * @throws FrameworkError `framework: invalid auth posture` for an operation without posture in `SecureApp`, or with a posture elsewhere
   */
  override attach(host: SurfaceHost): void {
    for (const [alias, posture] of this.#postures) assertPosture(host, posture, alias);
    this.#host = host;
    super.attach(host);
  }

  protected override read(event: unknown, lambdaContext?: LambdaContext): readonly Delivered[] {
    const { name, handler } = this.entryOf(lambdaContext);
    if (this.#postures.get(name) !== undefined && !this.#host?.gate) throw refused('postures need SecureApp');
    const record: MappedRequest = { payload: event, alias: name, principal: null };
    return [{ name, handler, record, id: '', source: sourceOf(name, '') }];
  }

  protected override async answer(
    [item]: readonly Delivered[],
    lambdaContext: LambdaContext | undefined,
    event: unknown,
  ): Promise<unknown> {
    const { name, handler, record } = item as Delivered;
    const caller = { kind: this.kind, event, lambdaContext, path: `/${name}` };
    const passed = await passGate(this.#host, this.delivery, this.#postures.get(name), caller);
    if ('thrown' in passed) throw toFailure(passed.thrown);
    const principal = passed.principal && copyPrincipal(passed.principal);
    const outcome = await attempt(
      this.delivery,
      {
        ...(item as Delivered),
        record: { ...(record as MappedRequest), principal },
        handler: async (ctx, request) => withinLimit(toJson('the result', (await handler(ctx, request)) ?? null)),
      },
      lambdaContext,
    );
    if ('thrown' in outcome) throw toFailure(outcome.thrown);
    return outcome.value;
  }
}

/**
 * API Gateway compares its patterns with the whole `errorMessage`, so it begins with the code and is one line. Without a match the client
 * receives the error, so it has neither the message of an exception nor a stack:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/handle-errors-in-lambda-integration.html.
 */
function toFailure(thrown: unknown): InvokeError {
  const { code, message } = publicFailure(thrown) ?? { code: 'app.internal', message: 'internal error' };
  const failure = new InvokeError(code, `${code}: ${message.replaceAll(/\s+/g, ' ')}`, { cause: thrown });
  failure.stack = `${code}: ${failure.message}`;
  return failure;
}

/**
 * Makes the surface for non-proxy integrations of REST APIs and WebSocket APIs (type `AWS`). A mapping template writes the event, with parts
 * that a client wrote, so the alias selects the handler, and no event of this alias reaches another trigger. In `SecureApp` each operation
 * has a posture; a principal resolver reads what the template wrote in `ctx.event`.
 *
 * @example
 * const quotes = apiIntegration().operation('quotes', (ctx, { payload }) => ({ price: priceOf(payload) }), Public());
 * const app = new SecureApp({ principalResolver, surfaces: [quotes] });
 */
export function apiIntegration(): ApiIntegration {
  return new ApiIntegration();
}
