import { readFileSync } from 'node:fs';
import {
  buildAPIGatewayProxyRequest,
  buildAPIGatewayV2Request,
  buildAppSyncEvent,
  buildEventBusEvent,
  buildKinesisEvent,
  buildLambdaFunctionURLRequest,
  buildLoadBalancerRequest,
  buildQueueEvent,
  buildScheduledEvent,
  buildTableStreamEvent,
  buildTopicEvent,
  buildWebSocketEvent,
} from '../src/index.js';

// The members that AWS documents of each event, with their JSON types. docs/builders.md shows the same.

const GATEWAY = 'https://docs.aws.amazon.com/apigateway/latest/developerguide';
const LAMBDA = 'https://docs.aws.amazon.com/lambda/latest/dg';
const EVENTS = 'https://docs.aws.amazon.com/eventbridge/latest/userguide';
const UNLESS_GIVEN = 'AWS sends it only if it has a value; an option sets it';

interface Documented {
  readonly source: string;
  /** Groups of members: `prefix: name type, name type`. */
  readonly fields: Readonly<Record<string, string>>;
  /** Documented and not there by default, with the reason. */
  readonly leftOut: Readonly<Record<string, string>>;
  readonly event: unknown;
}

const HTTP_2 = {
  '': 'version string, rawPath string, rawQueryString string, headers object, isBase64Encoded boolean',
  requestContext:
    'accountId string, apiId string, domainName string, domainPrefix string, requestId string, routeKey string, stage string, time string, timeEpoch number',
  'requestContext.http': 'method string, path string, protocol string, sourceIp string, userAgent string',
};
const HTTP_2_LEFT_OUT = {
  cookies: UNLESS_GIVEN,
  queryStringParameters: UNLESS_GIVEN,
  body: UNLESS_GIVEN,
  'requestContext.authorizer': 'only with an authorizer; the option `authorizer`',
  'requestContext.authentication': 'only with mutual TLS',
};
const arn = (service: string, resource: string) => `arn:aws:${service}:us-east-1:123456789012:${resource}`;
const BUS = {
  '': 'version string, id string, detail-type string, source string, account string, time string, region string, resources array, detail object',
};

const DOCUMENTED: Readonly<Record<string, Documented>> = {
  buildAPIGatewayV2Request: {
    source: `${GATEWAY}/http-api-develop-integrations-lambda.html`,
    event: buildAPIGatewayV2Request('GET', '/notes'),
    fields: { ...HTTP_2, '': `${HTTP_2['']}, routeKey string` },
    leftOut: {
      ...HTTP_2_LEFT_OUT,
      pathParameters: 'only for a route with parameters; the option `pathParameters`',
      stageVariables: 'only for a stage with variables',
    },
  },
  buildLambdaFunctionURLRequest: {
    source: `${LAMBDA}/urls-invocation.html`,
    event: buildLambdaFunctionURLRequest('GET', '/notes'),
    fields: HTTP_2,
    leftOut: {
      ...HTTP_2_LEFT_OUT,
      routeKey:
        "AWS sends `$default`; the option `routeKey: '$default'` sets it. Without it the event has the other form in the detection table",
      pathParameters: 'AWS sends `null`: a function URL has no routes',
      stageVariables: 'AWS sends `null`: a function URL has no stages',
    },
  },
  buildAPIGatewayProxyRequest: {
    source: `${GATEWAY}/set-up-lambda-proxy-integrations.html`,
    event: buildAPIGatewayProxyRequest('GET', '/notes'),
    fields: {
      '': 'resource string, path string, httpMethod string, headers object, multiValueHeaders object, queryStringParameters null, multiValueQueryStringParameters null, pathParameters null, stageVariables null, body null, isBase64Encoded boolean',
      requestContext:
        'accountId string, apiId string, authorizer null, domainName string, domainPrefix string, extendedRequestId string, httpMethod string, path string, protocol string, requestId string, requestTime string, requestTimeEpoch number, resourceId string, resourcePath string, stage string',
      'requestContext.identity':
        'accessKey null, accountId null, apiKey null, apiKeyId null, caller null, clientCert null, cognitoAuthenticationProvider null, cognitoAuthenticationType null, cognitoIdentityId null, cognitoIdentityPoolId null, principalOrgId null, sourceIp string, user null, userAgent null, userArn null',
    },
    leftOut: {},
  },
  buildLoadBalancerRequest: {
    source: 'https://docs.aws.amazon.com/elasticloadbalancing/latest/application/lambda-functions.html',
    event: buildLoadBalancerRequest('GET', '/notes'),
    fields: {
      '': 'httpMethod string, path string, headers object, queryStringParameters object, body string, isBase64Encoded boolean',
      'requestContext.elb': 'targetGroupArn string',
    },
    leftOut: {
      multiValueHeaders: 'replaces `headers` if the target group has multi-value headers; the option `multiValue`',
      multiValueQueryStringParameters: 'replaces `queryStringParameters`; the option `multiValue`',
    },
  },
  buildWebSocketEvent: {
    source: `${GATEWAY}/apigateway-websocket-api-mapping-template-reference.html`,
    event: buildWebSocketEvent(),
    fields: {
      '': 'isBase64Encoded boolean',
      requestContext:
        'apiId string, connectedAt number, connectionId string, domainName string, eventType string, extendedRequestId string, messageDirection string, messageId string, requestId string, requestTime string, requestTimeEpoch number, routeKey string, stage string',
      'requestContext.identity': 'sourceIp string',
    },
    leftOut: {
      body: UNLESS_GIVEN,
      headers: 'only for `$connect` and `$disconnect`',
      multiValueHeaders: 'only for `$connect` and `$disconnect`',
      queryStringParameters: 'only for `$connect`',
      'requestContext.authorizer': 'only with an authorizer; the option `authorizer`',
      'requestContext.disconnectStatusCode': 'only for `$disconnect`, where it is filled',
      'requestContext.disconnectReason': 'only for `$disconnect`, where it is filled',
    },
  },
  buildAppSyncEvent: {
    source: 'https://docs.aws.amazon.com/appsync/latest/devguide/resolver-context-reference.html',
    event: buildAppSyncEvent(),
    fields: {
      '': 'arguments object, identity null, source null, prev null, stash object',
      request: 'headers object, domainName null',
      info: 'fieldName string, parentTypeName string, variables object, selectionSetList array, selectionSetGraphQL string',
    },
    leftOut: {},
  },
  buildQueueEvent: {
    source: `${LAMBDA}/with-sqs.html`,
    event: buildQueueEvent(arn('sqs', 'orders'), [{}]),
    fields: {
      'Records[0]':
        'messageId string, receiptHandle string, body string, messageAttributes object, md5OfBody string, eventSource string, eventSourceARN string, awsRegion string',
      'Records[0].attributes':
        'ApproximateReceiveCount string, SentTimestamp string, SenderId string, ApproximateFirstReceiveTimestamp string',
    },
    leftOut: {
      'Records[0].md5OfMessageAttributes':
        'only for a message with attributes; computed over a binary form that no handler checks',
      'Records[0].attributes.AWSTraceHeader': 'only with active tracing; the option `attributes`',
      'Records[0].attributes.DeadLetterQueueSourceArn': 'only in a dead-letter queue; the option `attributes`',
      'Records[0].attributes.MessageGroupId': 'only for FIFO queues, and for messages with the option `groupId`',
      'Records[0].attributes.MessageDeduplicationId': 'only for FIFO queues, where it is filled',
      'Records[0].attributes.SequenceNumber': 'only for FIFO queues, where it is filled',
    },
  },
  buildTableStreamEvent: {
    source: `${LAMBDA}/with-ddb.html`,
    event: buildTableStreamEvent(arn('dynamodb', 'table/notes/stream/1'), [{}]),
    fields: {
      'Records[0]':
        'eventID string, eventName string, eventVersion string, eventSource string, awsRegion string, eventSourceARN string',
      'Records[0].dynamodb':
        'ApproximateCreationDateTime number, Keys object, SequenceNumber string, SizeBytes number, StreamViewType string',
    },
    leftOut: {
      'Records[0].dynamodb.NewImage': 'the images depend on the table; the option `newImage`',
      'Records[0].dynamodb.OldImage': 'the images depend on the table; the option `oldImage`',
      'Records[0].userIdentity': 'only for expired items',
    },
  },
  buildKinesisEvent: {
    source: `${LAMBDA}/with-kinesis.html`,
    event: buildKinesisEvent(arn('kinesis', 'stream/clicks'), [{}]),
    fields: {
      'Records[0]':
        'eventSource string, eventVersion string, eventID string, eventName string, invokeIdentityArn string, awsRegion string, eventSourceARN string',
      'Records[0].kinesis':
        'kinesisSchemaVersion string, partitionKey string, sequenceNumber string, data string, approximateArrivalTimestamp number',
    },
    leftOut: {
      window:
        'only for a mapping with tumbling windows, with `state`, `shardId`, `isFinalInvokeForWindow` and `isWindowTerminatedEarly`',
    },
  },
  buildTopicEvent: {
    source: `${LAMBDA}/with-sns.html`,
    event: buildTopicEvent(arn('sns', 'news'), [{}]),
    fields: {
      'Records[0]': 'EventVersion string, EventSource string, EventSubscriptionArn string',
      'Records[0].Sns':
        'Type string, MessageId string, TopicArn string, Message string, Timestamp string, SignatureVersion string, Signature string, SigningCertUrl string, UnsubscribeUrl string, MessageAttributes object',
    },
    leftOut: { 'Records[0].Sns.Subject': 'only for a message with a subject; the option `subject`' },
  },
  buildEventBusEvent: {
    source: `${EVENTS}/eb-events-structure.html`,
    event: buildEventBusEvent(),
    fields: BUS,
    leftOut: {},
  },
  buildScheduledEvent: {
    source: `${EVENTS}/eb-run-lambda-schedule.html`,
    event: buildScheduledEvent({ rule: 'nightly' }),
    fields: BUS,
    leftOut: {},
  },
};

/** Every leaf member as `path type`; an object whose names are free counts as a leaf. */
function membersOf(value: unknown, wanted: ReadonlySet<string>, path = ''): string[] {
  if (wanted.has(path) || typeof value !== 'object' || value === null) return [`${path} ${typeOf(value)}`];
  return Object.entries(value).flatMap(([name, member]) => {
    const step = Array.isArray(value) ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;
    return membersOf(member, wanted, step);
  });
}

function typeOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}

function expectedOf({ fields }: Documented): string[] {
  return Object.entries(fields).flatMap(([prefix, list]) =>
    list.split(', ').map((field) => (prefix === '' ? field : `${prefix}.${field}`)),
  );
}

it.each(Object.entries(DOCUMENTED))('%s fills what AWS documents, by name and JSON type', (_name, documented) => {
  const expected = expectedOf(documented);
  const paths = new Set(expected.map((field) => field.slice(0, field.lastIndexOf(' '))));
  expect(membersOf(documented.event, paths).sort()).toEqual(expected.sort());
  for (const path of Object.keys(documented.leftOut)) expect(paths).not.toContain(path);
});

it('docs/builders.md has these members and reasons', () => {
  const page = readFileSync(new URL('../../../docs/builders.md', import.meta.url), 'utf8');
  expect(page).toContain(renderBuilders());
});

function renderBuilders(): string {
  return Object.entries(DOCUMENTED)
    .map(([name, documented]) => {
      const filled = Object.entries(documented.fields)
        .map(
          ([prefix, list]) =>
            `| ${prefix === '' ? 'the event' : `\`${prefix}\``} | ${list.replace(/([\w-]+) (\w+)/g, '`$1` $2')} |`,
        )
        .join('\n');
      const left = Object.entries(documented.leftOut).map(([path, reason]) => `| \`${path}\` | left out: ${reason} |`);
      return `### ${name}\n\nSource: [${documented.source.replace(/.*\/|\.html/g, '')}](${documented.source})\n\n| member of | members and JSON types |\n|---|---|\n${[filled, ...left].join('\n')}\n`;
    })
    .join('\n');
}
