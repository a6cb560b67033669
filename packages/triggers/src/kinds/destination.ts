import { membersOf, stringOf } from '@sallyport/core/internal';
import type { Delivered, EventHandler } from '@sallyport/streams/delivery';
import { NamedTrigger } from '../internal/handlers.js';
import { keyOf } from '../internal/key.js';
import { requiredText, sourceOf } from '../internal/read.js';
import { defineTrigger } from '../internal/surface.js';

/** The record of an asynchronous invocation: https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html. */
export interface InvocationRecord {
  /** The name of the function that was invoked. */
  readonly functionName: string;
  /** The ARN of the function, with its qualifier. */
  readonly functionArn: string;
  /** `Success`, `RetriesExhausted`, `EventAgeExceeded`, … */
  readonly condition: string;
  /** The id of the invocation. */
  readonly requestId: string;
  /** The number of attempts. */
  readonly attempts: number;
  /** The event of the invocation. Any caller of that function may have written it. */
  readonly payload: unknown;
  /** The answer or the error of the function; `undefined` if it did not run. */
  readonly response: unknown;
  /** The type of the error: `Unhandled`; `''` for a success. */
  readonly functionError: string;
}

/** Row, natural key and answer of destinations of Lambda. @internal */
export const DESTINATION_TRIGGER = /* @__PURE__ */ defineTrigger({
  kind: 'destination',
  anyOf: [
    [
      { path: 'version', test: 'text' },
      { path: 'requestContext.functionArn', test: 'text' },
      { path: 'requestContext.condition', test: 'text' },
      { path: 'requestPayload', test: 'present' },
    ],
  ],
  sample: { version: '1.0', requestContext: { functionArn: 'a', condition: 'Success' }, requestPayload: {} },
  key: ({ source, id, keyPart = '' }: Delivered) => (id === '' ? undefined : keyOf(source.arn, id, keyPart)),
  answer: 'null',
});

/** Handlers of the records of asynchronous invocations. */
export class LambdaDestination extends NamedTrigger {
  constructor() {
    super(DESTINATION_TRIGGER, 'function');
  }

  /**
   * Registers the handler of the records of a function. Lambda invokes the destination asynchronously: if the handler throws, Lambda
   * retries the record.
   *
   * @param name the name of the function that was invoked, or its ARN with the qualifier
   * @throws FrameworkError `app.invalid_configuration` for a blank or repeated name, or a handler that is not a function
   * @example lambdaDestination().function('charge', (ctx, { condition, payload }) => store(condition, payload));
   */
  function(name: string, handler: EventHandler<InvocationRecord>): this {
    return this.add(name, handler);
  }

  protected override read(event: unknown): readonly Delivered[] {
    const { requestContext, requestPayload, responseContext, responsePayload } = membersOf(event);
    const context = membersOf(requestContext);
    const arn = requiredText(this.kind, 'requestContext.functionArn', context.functionArn);
    // arn:partition:lambda:region:account:function:name:qualifier
    const name = arn.split(':')[6] ?? '';
    const condition = requiredText(this.kind, 'requestContext.condition', context.condition);
    const id = stringOf(context.requestId);
    const record: InvocationRecord = {
      functionName: name,
      functionArn: arn,
      condition,
      requestId: id,
      attempts: typeof context.approximateInvokeCount === 'number' ? context.approximateInvokeCount : 0,
      payload: requestPayload,
      response: responsePayload,
      functionError: stringOf(membersOf(responseContext).functionError),
    };
    return [{ ...this.handlerOf(name, arn, name), record, id, keyPart: condition, source: sourceOf(name, arn) }];
  }
}

/**
 * Makes the surface for destinations of asynchronous invocations: after success or failure of another function.
 *
 * @example
 * const failures = lambdaDestination().function('charge', (ctx, { condition, payload }) => store(condition, payload));
 * const app = new SecureApp({ principalResolver, surfaces: [failures] });
 */
export function lambdaDestination(): LambdaDestination {
  return new LambdaDestination();
}
