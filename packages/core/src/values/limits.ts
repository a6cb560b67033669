// Quotas of AWS and limits of Node that more than one package checks, each with its source.

/**
 * The largest serialised answer of a function that is called synchronously, in bytes; headers and escaping count. The guide states
 * a quota of 6 MB; the error of the service is "Exceeded maximum allowed payload size (6291556 bytes)".
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
export const LAMBDA_MAX_ANSWER_BYTES = 6_291_556;

/**
 * The largest event of a synchronous invocation, in bytes.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
export const LAMBDA_MAX_EVENT_BYTES = 6_291_456;

/**
 * The longest timeout of a function, in milliseconds: no call of an invocation lasts longer.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-timeout.html
 */
export const LAMBDA_MAX_TIMEOUT_MS = 900_000;

/**
 * The largest body of a request to a function from an Application Load Balancer, and of its answer, in bytes.
 *
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/application/lambda-functions.html
 */
export const LOAD_BALANCER_MAX_BYTES = 1_048_576;

/**
 * The largest message of a WebSocket API, in bytes.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-execution-service-websocket-limits-table.html
 */
export const WEBSOCKET_MAX_MESSAGE_BYTES = 131_072;

/**
 * The largest data of one record of a stream whose `MaxRecordSizeInKiB` is raised to the maximum, in bytes.
 *
 * @see https://docs.aws.amazon.com/kinesis/latest/APIReference/API_UpdateMaxRecordSize.html
 */
export const KINESIS_MAX_RECORD_BYTES = 10_485_760;

/**
 * The longest visibility timeout of a queue, in seconds.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
 */
export const SQS_MAX_VISIBILITY_SECONDS = 43_200;

/**
 * The longest delay of a timer, in milliseconds: a longer one would fire immediately.
 *
 * @see https://nodejs.org/api/timers.html#settimeoutcallback-delay-args
 */
export const MAX_TIMER_MS = 2_147_483_647;
