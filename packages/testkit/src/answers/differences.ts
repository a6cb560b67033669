/** AWS's documentation of each difference, by its topic. */
const SOURCES = {
  /** Bytes become broken text, or base64 text. */
  'body.binary':
    'https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-payload-encodings-workflow.html',
  /** The client receives a header under another name. */
  'header.renamed': 'https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html',
  /** The door ignores a member of the answer. */
  'answer.ignored':
    'https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html',
  /** The service does not pass a request on, because of its size. */
  'request.limit': 'https://docs.aws.amazon.com/general/latest/gr/appsync.html',
  /** Status and headers of a streamed answer are absent or invalid. */
  'stream.prelude': 'https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode-lambda.html',
  /** A door of the function rejects the answer, because of its size. */
  'answer.limit': 'https://docs.aws.amazon.com/elasticloadbalancing/latest/application/lambda-functions.html',
  /** A door does not wait as long as the function needed. */
  'duration.door': 'https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html',
  /** The function was given more time than its timeout. */
  'duration.function': 'https://docs.aws.amazon.com/lambda/latest/dg/configuration-timeout.html',
  /** The deployed API has no such route. */
  'route.missing': 'https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-routes.html',
  /** The deployed authorizer rejects the request. */
  'token.refused': 'https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-jwt-authorizer.html',
  /** The request names this machine instead of the API's domain. */
  'request.address':
    'https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html',
  /** The token has a kind of key that API Gateway does not accept. */
  'token.key': 'https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-jwt-authorizer.html',
  /** Failed records of a batch are deleted, because the event source mapping does not report them. */
  'batch.lost': 'https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html',
  /** Only `/tmp` can be written. */
  'file.written': 'https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html',
  /** The next delivery of the event: its service and its time. */
  retry: 'https://docs.aws.amazon.com/lambda/latest/dg/invocation-retries.html',
} as const;

/** The subject of a {@link Difference}. */
export type DifferenceTopic = keyof typeof SOURCES;

/** A result that would differ on AWS, or that relies on a setting there. */
export interface Difference {
  /** The stable name of its subject. */
  readonly topic: DifferenceTopic;
  /** The behaviour of AWS, and the remedy. */
  readonly text: string;
  /** A URL of AWS's documentation. */
  readonly source: string;
}

/**
 * Creates a difference.
 *
 * @param source a URL of AWS's documentation; default: that of the topic
 */
export function toDifference(topic: DifferenceTopic, text: string, source: string = SOURCES[topic]): Difference {
  return { topic, text, source };
}

/**
 * The failed records of a batch that AWS would delete: an event source mapping without `ReportBatchItemFailures` treats an answer as a
 * success of the whole batch.
 *
 * @param answer the answer of the function
 * @param reports `true` if the mapping has `ReportBatchItemFailures`; `undefined` if no setting states it
 * @example
 * batchDifferences({ batchItemFailures: [{ itemIdentifier: 'm-1' }] }, false)[0]?.topic; // 'batch.lost'
 */
export function batchDifferences(answer: unknown, reports: boolean | undefined): readonly Difference[] {
  const { batchItemFailures } = (answer ?? {}) as { readonly batchItemFailures?: unknown };
  if (reports === true || !Array.isArray(batchItemFailures) || batchItemFailures.length === 0) return [];
  const count = batchItemFailures.length;
  const [records, them] = count === 1 ? ['1 record', 'it'] : [`${count} records`, 'them'];
  const cause =
    reports === false ? 'ReportBatchItemFailures is not set' : 'no setting states ReportBatchItemFailures; without it';
  const text = `${cause}${reports === false ? ':' : ''} AWS treats the batch as a success and ${records} would be lost: set FunctionResponseTypes of the event source mapping, so that AWS delivers ${them} again`;
  return [toDifference('batch.lost', text)];
}
