/** Records every command that clients of the AWS SDK send, and turns them into requests to IAM. */

/** One command. */
export interface RecordedCall {
  /** `DynamoDB`, `S3`, … */
  readonly service: string;
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
}

interface SdkClient {
  send(
    command: { readonly input: object; readonly constructor: { readonly name: string } },
    ...others: unknown[]
  ): Promise<unknown>;
  readonly config: { readonly serviceId?: string };
}

/** Records the calls of all clients with the base class of the given one, while `run` is running. */
export async function recordCalls(client: object, run: () => Promise<unknown>): Promise<readonly RecordedCall[]> {
  const calls: RecordedCall[] = [];
  const base = Object.getPrototypeOf(Object.getPrototypeOf(client)) as SdkClient;
  const { send } = base;
  base.send = function (this: SdkClient, command, ...others) {
    calls.push({
      service: this.config.serviceId ?? '',
      operation: command.constructor.name.replace(/Command$/, ''),
      input: command.input as RecordedCall['input'],
    });
    return send.call(this, command, ...others);
  };
  try {
    await run();
  } finally {
    base.send = send;
  }
  return calls;
}

/** An action on a part of the resource: `''` is the resource itself, `/index/i` an index, `/key` an object. */
export interface Access {
  readonly action: string;
  readonly part: string;
}

/** Prefixes of actions by `serviceId`. */
const PREFIXES: Readonly<Record<string, string>> = {
  DynamoDB: 'dynamodb',
  S3: 's3',
  S3Vectors: 's3vectors',
  'Lambda Microvms': 'lambda',
  Lambda: 'lambda',
  'Secrets Manager': 'secretsmanager',
  SSM: 'ssm',
  AppConfigData: 'appconfig',
  SNS: 'sns',
  Kinesis: 'kinesis',
  'Bedrock Runtime': 'bedrock',
  ApiGatewayManagementApi: 'execute-api',
  'API Gateway': 'apigateway',
  IAM: 'iam',
  CodeDeploy: 'codedeploy',
};

/** The accesses of a command; without an entry the action with its name, on the resource. */
const NEEDS: Readonly<Record<string, (input: Readonly<Record<string, unknown>>) => readonly Access[]>> = {
  'DynamoDB Query': ({ IndexName }) => [
    { action: 'dynamodb:Query', part: IndexName === undefined ? '' : `/index/${String(IndexName)}` },
  ],
  // https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html
  'DynamoDB TransactWriteItems': ({ TransactItems }) =>
    (TransactItems as readonly object[]).flatMap((one) =>
      Object.keys(one).map((kind) => ({ action: `dynamodb:${kind === 'ConditionCheck' ? kind : kind}Item`, part: '' })),
    ),
  // https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html; the name of a function accepts a qualifier
  'Lambda Invoke': ({ FunctionName }) => [
    { action: 'lambda:InvokeFunction', part: /^[^:]+(:[^:]+)$/.exec(String(FunctionName))?.[1] ?? '' },
  ],
  // https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonapigatewaymanagement.html: actions are methods of HTTP
  'API Gateway GetAccount': () => [{ action: 'apigateway:GET', part: '' }],
  // https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-logging.html: the caller passes the role
  'API Gateway UpdateAccount': () => [
    { action: 'apigateway:PATCH', part: '' },
    { action: 'iam:PassRole', part: '' },
  ],
  // https://docs.aws.amazon.com/AmazonS3/latest/userguide/using-with-s3-policy-actions.html
  'S3 GetObject': (input) => [
    { action: input.VersionId === undefined ? 's3:GetObject' : 's3:GetObjectVersion', part: '/notes/key' },
  ],
  'S3 HeadObject': (input) => [
    { action: input.VersionId === undefined ? 's3:GetObject' : 's3:GetObjectVersion', part: '/notes/key' },
  ],
  'S3 PutObject': () => [{ action: 's3:PutObject', part: '/notes/key' }],
  'S3 DeleteObject': (input) => [
    { action: input.VersionId === undefined ? 's3:DeleteObject' : 's3:DeleteObjectVersion', part: '/notes/key' },
  ],
  // https://docs.aws.amazon.com/AmazonS3/latest/API/API_S3VectorBuckets_QueryVectors.html: a filter and returned metadata need GetVectors
  'S3Vectors QueryVectors': ({ filter, returnMetadata }) => [
    { action: 's3vectors:QueryVectors', part: '' },
    ...(filter !== undefined || returnMetadata === true ? [{ action: 's3vectors:GetVectors', part: '' }] : []),
  ],
  // https://docs.aws.amazon.com/AmazonS3/latest/API/API_S3VectorBuckets_ListVectors.html
  'S3Vectors ListVectors': ({ returnData, returnMetadata }) => [
    { action: 's3vectors:ListVectors', part: '' },
    ...(returnData === true || returnMetadata === true ? [{ action: 's3vectors:GetVectors', part: '' }] : []),
  ],
  // https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-websocket-control-access-iam.html
  'ApiGatewayManagementApi PostToConnection': () => [
    { action: 'execute-api:ManageConnections', part: '/live/POST/@connections/id' },
  ],
  'ApiGatewayManagementApi DeleteConnection': () => [
    { action: 'execute-api:ManageConnections', part: '/live/DELETE/@connections/id' },
  ],
  'ApiGatewayManagementApi GetConnection': () => [
    { action: 'execute-api:ManageConnections', part: '/live/GET/@connections/id' },
  ],
};

/** The different accesses of calls. */
export function accessesOf(calls: readonly RecordedCall[]): readonly Access[] {
  const all = calls.flatMap(({ service, operation, input }) => {
    const prefix = PREFIXES[service];
    if (prefix === undefined) throw new Error(`recorded.ts does not know the service ${service}`);
    return NEEDS[`${service} ${operation}`]?.(input) ?? [{ action: `${prefix}:${operation}`, part: '' }];
  });
  return [...new Map(all.map((one) => [`${one.action} ${one.part}`, one])).values()].sort((a, b) =>
    a.action + a.part < b.action + b.part ? -1 : 1,
  );
}
