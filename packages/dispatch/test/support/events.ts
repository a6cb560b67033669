const headers = Object.fromEntries(
  Array.from({ length: 20 }, (_, index) => [`x-header-${index}`, `a value of some length, number ${index}`]),
);

const http = { method: 'GET', path: '/notes/1', protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'test' };

const gatewayV2 = {
  version: '2.0',
  routeKey: '$default',
  rawPath: '/notes/1',
  rawQueryString: 'a=1',
  cookies: ['a=b'],
  headers,
  queryStringParameters: { a: '1' },
  requestContext: {
    accountId: '123456789012',
    apiId: 'api1234567',
    domainName: 'api1234567.execute-api.us-east-1.amazonaws.com',
    domainPrefix: 'api1234567',
    http,
    requestId: 'r-1',
    routeKey: '$default',
    stage: '$default',
    time: '01/Jan/1970:00:00:00 +0000',
    timeEpoch: 0,
  },
  isBase64Encoded: false,
};

/** One event for each kind, in the shape that the provider sends. */
export const EVENTS: Readonly<Record<string, unknown>> = {
  queue: {
    Records: [
      {
        messageId: 'msg-1',
        receiptHandle: 'handle',
        body: '{}',
        attributes: { ApproximateReceiveCount: '1', SentTimestamp: '0' },
        messageAttributes: {},
        md5OfBody: '99914b932bd37a50b983c5e7c90ae93b',
        eventSource: 'aws:sqs',
        eventSourceARN: 'arn:aws:sqs:us-east-1:123456789012:orders',
        awsRegion: 'us-east-1',
      },
    ],
  },
  'table-stream': {
    Records: [
      {
        eventID: 'evt-1',
        eventName: 'MODIFY',
        eventVersion: '1.1',
        eventSource: 'aws:dynamodb',
        awsRegion: 'us-east-1',
        dynamodb: { Keys: { id: { S: '1' } }, SequenceNumber: '1', SizeBytes: 3, StreamViewType: 'KEYS_ONLY' },
        eventSourceARN: 'arn:aws:dynamodb:us-east-1:123456789012:table/notes/stream/1970-01-01T00:00:00.000',
      },
    ],
  },
  stream: {
    Records: [
      {
        kinesis: { kinesisSchemaVersion: '1.0', partitionKey: 'pk-1', sequenceNumber: '1', data: 'e30=' },
        eventSource: 'aws:kinesis',
        eventID: 'shardId-000000000000:1',
        eventSourceARN: 'arn:aws:kinesis:us-east-1:123456789012:stream/clicks',
      },
    ],
  },
  topic: {
    Records: [
      {
        EventSource: 'aws:sns',
        EventVersion: '1.0',
        EventSubscriptionArn: 'arn:aws:sns:us-east-1:123456789012:alerts:1',
        Sns: { Type: 'Notification', MessageId: 'sns-1', TopicArn: 'arn:aws:sns:us-east-1:123456789012:alerts' },
      },
    ],
  },
  'event-bus': {
    version: '0',
    id: 'evt-1',
    'detail-type': 'InvoicePaid',
    source: 'billing',
    account: '123456789012',
    time: '1970-01-01T00:00:00Z',
    region: 'us-east-1',
    resources: [],
    detail: {},
  },
  appsync: {
    arguments: { id: '1' },
    identity: null,
    source: null,
    request: { headers },
    prev: null,
    info: {
      selectionSetList: ['id'],
      selectionSetGraphQL: '{\n  id\n}',
      fieldName: 'note',
      parentTypeName: 'Query',
      variables: {},
    },
    stash: {},
  },
  websocket: {
    requestContext: {
      routeKey: '$default',
      eventType: 'MESSAGE',
      connectionId: 'conn-1',
      domainName: 'ws.example.com',
      stage: 'dev',
    },
    body: '{}',
    isBase64Encoded: false,
  },
  'gateway-v2': gatewayV2,
  'function-url': {
    ...gatewayV2,
    requestContext: { ...gatewayV2.requestContext, domainName: 'abc123.lambda-url.us-east-1.on.aws' },
  },
  'load-balancer': {
    requestContext: {
      elb: { targetGroupArn: 'arn:aws:elasticloadbalancing:us-east-1:123456789012:targetgroup/notes/1' },
    },
    httpMethod: 'GET',
    path: '/notes/1',
    queryStringParameters: {},
    headers,
    body: '',
    isBase64Encoded: false,
  },
  'gateway-v1': {
    resource: '/notes/{id}',
    path: '/notes/1',
    httpMethod: 'GET',
    headers,
    multiValueHeaders: {},
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    pathParameters: { id: '1' },
    stageVariables: null,
    requestContext: { accountId: '123456789012', httpMethod: 'GET', identity: { sourceIp: '192.0.2.1' }, stage: 'dev' },
    body: null,
    isBase64Encoded: false,
  },
};
