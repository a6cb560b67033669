import { defineOptions, kind, oneOf, string } from '@sallyport/core/options';
import { DESTINATION_TRIGGER, lambdaDestination } from '../kinds/destination.js';
import { describeTrigger } from './entry.js';

/** Options of {@link buildDestinationEvent}. */
export interface DestinationEventOptions {
  /** Default `RetriesExhausted`. */
  readonly condition?: 'Success' | 'RetriesExhausted' | 'EventAgeExceeded';
  /** The event of the invocation. Default: an empty object. */
  readonly payload?: unknown;
  /** The id of the invocation. Default `request-1`. */
  readonly requestId?: string;
}

const DESTINATION_EVENT = /* @__PURE__ */ defineOptions<DestinationEventOptions>()({
  condition: oneOf('Success', 'RetriesExhausted', 'EventAgeExceeded').default('RetriesExhausted'),
  payload: kind<unknown>('any value', () => true),
  requestId: string.default('request-1'),
});

/** The record of an asynchronous invocation, in the form of its documentation. */
export interface DestinationEvent {
  /** `1.0`. */
  readonly version: string;
  /** The time of the record. */
  readonly timestamp: string;
  /** The invocation. */
  readonly requestContext: {
    readonly requestId: string;
    readonly functionArn: string;
    readonly condition: string;
    readonly approximateInvokeCount: number;
  };
  /** The event of the invocation. */
  readonly requestPayload: unknown;
  /** Status and version of the function. */
  readonly responseContext: {
    readonly statusCode: number;
    readonly executedVersion: string;
    readonly functionError?: string;
  };
  /** The answer or the error of the function. */
  readonly responsePayload: unknown;
}

/**
 * Builds the record of an asynchronous invocation of another function.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @example buildDestinationEvent('charge', { payload: { amount: 5 } });
 */
export function buildDestinationEvent(functionName: string, options: DestinationEventOptions = {}): DestinationEvent {
  const { condition, payload = {}, requestId } = DESTINATION_EVENT.parse(options);
  const hasFailed = condition !== 'Success';
  return {
    version: '1.0',
    timestamp: '1970-01-01T00:00:00.000Z',
    requestContext: {
      requestId,
      functionArn: `arn:aws:lambda:us-east-1:123456789012:function:${functionName}:$LATEST`,
      condition,
      approximateInvokeCount: hasFailed ? 3 : 1,
    },
    requestPayload: payload,
    responseContext: { statusCode: 200, executedVersion: '$LATEST', ...(hasFailed && { functionError: 'Unhandled' }) },
    responsePayload: hasFailed ? { errorType: 'Error', errorMessage: 'no' } : null,
  };
}

const CHARGE = 'arn:aws:lambda:us-east-1:123456789012:function:charge:$LATEST';

/** Destinations of Lambda in the catalogue. @internal */
export const DESTINATION = /* @__PURE__ */ describeTrigger(DESTINATION_TRIGGER, {
  sample: {
    build: buildDestinationEvent,
    events: [
      [buildDestinationEvent('charge'), `${CHARGE}|request-1|RetriesExhausted`],
      [buildDestinationEvent('charge', { condition: 'Success' }), `${CHARGE}|request-1|Success`],
    ],
    names: ['charge'],
    register: (handlers) => handlers.reduce((trigger, one) => trigger.function(...one), lambdaDestination()),
  },
  docs: {
    section: 'Lambda destinations',
    rows: [
      [
        '`lambdaDestination()` with `function(name, handler)`; `LambdaDestination`, `InvocationRecord`',
        'records of asynchronous invocations of other functions',
      ],
    ],
  },
  construct: null,
  simulate: 'asynchronous',
  aws: {
    author: 'Lambda; a caller of the other function wrote the payload',
    failure: 'Lambda retries twice',
    limit: 'not read',
    attached: 'the destination of the other function',
  },
  sizes: { factory: 'lambdaDestination', gzipBytes: 11_100 },
});
