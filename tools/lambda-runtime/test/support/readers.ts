// Models of the services that read the answer of a function, written from their documentation.
import { isObject, membersOf } from '@sallyport/core/internal';
import type { CatalogueKind } from '@sallyport/triggers/catalogue';

/** The answer or the error that the runtime received, and the calls of the function. */
export interface Received {
  /** The parsed answer; `undefined` for an error. */
  readonly answer: unknown;
  /** The error of the function; absent for an answer. */
  readonly error?: { readonly errorType: string; readonly errorMessage: string };
  /** Operations of AWS's clients, and the status in their input; `PUT <status>` for the answer of a custom resource. */
  readonly calls: readonly string[];
}

/** The documentation, and the service's reaction in words. */
export type Reader = readonly [source: string, read: (received: Received) => string];

const LAMBDA = 'https://docs.aws.amazon.com/lambda/latest/dg/';

/** An asynchronous invocation: Lambda reads no answer, and retries an error twice. */
const asynchronous: Reader = [
  `${LAMBDA}invocation-async-error-handling.html`,
  ({ error }) => (error ? 'retried' : 'done'),
];
/** An event source mapping: an error makes the batch visible again. */
const batchOf = (page: string): Reader => [`${LAMBDA}${page}`, ({ error }) => (error ? 'retried' : 'done')];
const callsOf = (source: string): Reader => [
  source,
  ({ error, calls }) => [...calls, error ? 'retried' : 'done'].join(', '),
];
const isText = (value: unknown): boolean => typeof value === 'string';
const list = (value: unknown): readonly Record<string, unknown>[] => (Array.isArray(value) ? value.map(membersOf) : []);

export const READERS: Readonly<Record<CatalogueKind, Reader>> = {
  alarm: asynchronous,
  'alexa-skill': [
    'https://developer.amazon.com/en-US/docs/alexa/custom-skills/request-and-response-json-reference.html#response-format',
    ({ answer }) => {
      const { version, response } = membersOf(answer);
      return version === '1.0' && isObject(response) ? 'response' : 'apology';
    },
  ],
  'appsync-authorizer': [
    'https://docs.aws.amazon.com/appsync/latest/devguide/security-authz.html#aws-lambda-authorization',
    ({ answer }) => (membersOf(answer).isAuthorized === true ? 'allowed' : 'denied'),
  ],
  'appsync-events': [
    'https://docs.aws.amazon.com/appsync/latest/eventapi/writing-event-handlers.html',
    ({ answer }) => {
      const [first = {}] = list(membersOf(answer).events);
      return first.id === 'event-1' && isObject(first.payload) && !isText(first.error) ? 'published' : 'rejected';
    },
  ],
  'authorizer-token': [
    'https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-authorizer-output.html',
    ({ answer, error }) => {
      if (error) return error.errorMessage === 'Unauthorized' ? '401' : '500';
      const { principalId, policyDocument } = membersOf(answer);
      const effects = list(membersOf(policyDocument).Statement).map(({ Effect }) => Effect);
      return isText(principalId) && effects.length > 0 ? effects.join() : '500';
    },
  ],
  'bedrock-agent': [
    'https://docs.aws.amazon.com/bedrock/latest/userguide/agents-lambda.html#agents-lambda-response',
    ({ answer }) => {
      const { messageVersion, response } = membersOf(answer);
      const { responseState = 'observation', responseBody } = membersOf(membersOf(response).functionResponse);
      const { body } = membersOf(membersOf(responseBody).TEXT);
      return messageVersion === '1.0' && isText(body) ? String(responseState) : 'DependencyFailedException';
    },
  ],
  'bedrock-flow': [
    'https://docs.aws.amazon.com/bedrock/latest/userguide/flows-nodes.html#flows-nodes-lambda',
    ({ error, answer }) => (error || answer === null ? 'flow fails' : 'output'),
  ],
  codecommit: asynchronous,
  codedeploy: callsOf(
    'https://docs.aws.amazon.com/codedeploy/latest/userguide/reference-appspec-file-structure-hooks.html',
  ),
  codepipeline: callsOf(
    'https://docs.aws.amazon.com/codepipeline/latest/userguide/actions-invoke-lambda-function.html',
  ),
  cognito: [
    'https://docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-working-with-lambda-triggers.html',
    ({ answer, error }) => {
      if (error) return `shows "${error.errorMessage}"`;
      const { triggerSource, userPoolId, response } = membersOf(answer);
      return isText(triggerSource) && isText(userPoolId) && isObject(response)
        ? 'continues'
        : 'unrecognizable response';
    },
  ],
  'config-rule': callsOf('https://docs.aws.amazon.com/config/latest/developerguide/evaluate-config_develop-rules.html'),
  connect: [
    'https://docs.aws.amazon.com/connect/latest/adminguide/connect-lambda-functions.html#function-response',
    ({ answer, error }) => {
      const values = Object.values(membersOf(answer));
      const isFlat =
        isObject(answer) && values.every((value) => ['string', 'number', 'boolean'].includes(typeof value));
      return !error && isFlat ? 'Success' : 'Error';
    },
  ],
  'custom-resource': callsOf('https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/crpg-ref-responses.html'),
  destination: asynchronous,
  documentdb: batchOf('with-documentdb.html'),
  firehose: [
    'https://docs.aws.amazon.com/firehose/latest/dev/data-transformation-status-model.html',
    ({ answer }) => {
      const [{ recordId, result, data } = {} as Record<string, unknown>] = list(membersOf(answer).records);
      const isKnown = ['Ok', 'Dropped', 'ProcessingFailed'].includes(String(result));
      return recordId === 'record-1' && isKnown && (result !== 'Ok' || isText(data)) ? String(result) : 'retried';
    },
  ],
  integration: [
    'https://docs.aws.amazon.com/apigateway/latest/developerguide/handle-errors-in-lambda-integration.html',
    ({ error }) => (error ? `pattern for "${error.errorMessage}"` : 'default response'),
  ],
  invoke: [
    `${LAMBDA}invocation-sync.html`,
    ({ error }) => (error ? `error of the caller: ${error.errorType}` : 'result'),
  ],
  'iot-authorizer': [
    'https://docs.aws.amazon.com/iot/latest/developerguide/config-custom-auth.html#custom-auth-lambda',
    ({ answer }) => {
      const { isAuthenticated, principalId, policyDocuments } = membersOf(answer);
      const hasPolicies = Array.isArray(policyDocuments) && policyDocuments.length <= 10;
      return isAuthenticated === true && isText(principalId) && hasPolicies ? 'connected' : 'rejected';
    },
  ],
  'iot-rule': asynchronous,
  kafka: [
    `${LAMBDA}with-kafka-process.html`,
    ({ answer, error }) => (error || list(membersOf(answer).batchItemFailures).length > 0 ? 'retried' : 'done'),
  ],
  lattice: [
    'https://docs.aws.amazon.com/vpc-lattice/latest/ug/lambda-functions.html#respond-to-service',
    ({ answer }) => {
      const { statusCode, body, isBase64Encoded } = membersOf(answer);
      return Number.isInteger(statusCode) && isText(body) && isBase64Encoded === false ? String(statusCode) : '500';
    },
  ],
  lex: [
    'https://docs.aws.amazon.com/lexv2/latest/dg/lambda-response-format.html',
    ({ answer }) => {
      const { sessionState, messages = [] } = membersOf(answer);
      const { type } = membersOf(membersOf(sessionState).dialogAction);
      const isKnown = ['Close', 'ConfirmIntent', 'Delegate', 'ElicitIntent', 'ElicitSlot'].includes(String(type));
      const needsMessages = type === 'ElicitIntent' || type === 'ConfirmIntent';
      return isKnown && (!needsMessages || list(messages).length > 0) ? String(type) : 'DependencyFailedException';
    },
  ],
  logs: asynchronous,
  mq: batchOf('with-mq.html'),
  pipe: [
    'https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-pipes-batching-concurrency.html',
    ({ answer }) => (Array.isArray(answer) ? `${answer.length} to the target` : 'retried'),
  ],
  s3: asynchronous,
  's3-batch': [
    'https://docs.aws.amazon.com/AmazonS3/latest/userguide/batch-ops-invoke-lambda.html#batch-ops-invoke-lambda-custom-functions',
    ({ answer }) => {
      const { invocationSchemaVersion, invocationId, results } = membersOf(answer);
      const [{ taskId, resultCode } = {} as Record<string, unknown>] = list(results);
      return isText(invocationSchemaVersion) && isText(invocationId) && taskId === 'task-1'
        ? String(resultCode)
        : 'retried';
    },
  ],
  'secret-rotation': [
    'https://docs.aws.amazon.com/secretsmanager/latest/userguide/rotate-secrets_lambda-functions.html',
    ({ error }) => (error ? 'rotation retried' : 'next step'),
  ],
  ses: asynchronous,
  task: [
    'https://docs.aws.amazon.com/step-functions/latest/dg/concepts-error-handling.html',
    ({ error }) => (error ? `state fails with ${error.errorType}` : 'output'),
  ],
  transfer: [
    'https://docs.aws.amazon.com/transfer/latest/userguide/custom-lambda-idp.html',
    ({ answer }) => (isText(membersOf(answer).Role) ? 'accepted' : 'rejected'),
  ],
  widget: [
    'https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/add_custom_widget_dashboard_about.html',
    ({ answer, error }) => (error ? 'error' : isText(answer) ? 'HTML' : 'JSON'),
  ],
  window: [
    `${LAMBDA}services-kinesis-windows.html`,
    ({ answer }) => (isObject(membersOf(answer).state) ? 'state kept' : 'retried with the same state'),
  ],
};
