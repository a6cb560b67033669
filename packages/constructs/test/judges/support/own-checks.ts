import type { Resource, Template } from '../../support/template.js';

type Properties = Readonly<Record<string, unknown>>;
type Check = (properties: Properties, id: string) => string | undefined;

/** Checks that the CDK's engine does not have. https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-parameters.html */
const CHECKS: Readonly<Record<string, Check>> = {
  'AWS::Lambda::EventSourceMapping': (properties) => {
    const { BatchSize, MaximumBatchingWindowInSeconds, StartingPosition, EventSourceArn } = properties;
    const isStream =
      'BisectBatchOnFunctionError' in properties || /:kinesis:/.test(JSON.stringify(EventSourceArn ?? ''));
    if (isStream) return StartingPosition === undefined ? 'a stream needs a starting position' : undefined;
    const needsWindow = Number(BatchSize) > 10 && !MaximumBatchingWindowInSeconds;
    return needsWindow ? 'a batch of more than 10 needs a window' : undefined;
  },
  'AWS::ApiGateway::Method': ({ Integration }) => {
    const { ResponseTransferMode, TimeoutInMillis = 0 } = (Integration ?? {}) as Properties;
    const isTooLong = ResponseTransferMode !== 'STREAM' && Number(TimeoutInMillis) > 29_000;
    return isTooLong ? 'a buffered method ends at 29 seconds' : undefined;
  },
  'AWS::ApiGatewayV2::Api': ({ ProtocolType, RouteSelectionExpression }) =>
    ProtocolType === 'WEBSOCKET' && !RouteSelectionExpression ? 'a WebSocket API needs a route selection' : undefined,
  'AWS::DynamoDB::Table': (properties) => keysFault(properties),
  'AWS::DynamoDB::GlobalTable': (properties) => keysFault(properties),
};

/** Every key of the table and its indexes is an attribute, and every attribute is a key. */
function keysFault({ KeySchema, AttributeDefinitions, GlobalSecondaryIndexes = [] }: Properties): string | undefined {
  const namesOf = (list: unknown) => (list as { AttributeName: string }[]).map(({ AttributeName }) => AttributeName);
  const indexes = GlobalSecondaryIndexes as { KeySchema: unknown }[];
  const keys = new Set([...namesOf(KeySchema), ...indexes.flatMap((index) => namesOf(index.KeySchema))]);
  const attributes = new Set(namesOf(AttributeDefinitions));
  const isSame = keys.size === attributes.size && [...keys].every((key) => attributes.has(key));
  return isSame ? undefined : `keys ${[...keys]} and attributes ${[...attributes]} differ`;
}

/** The policies that reject requests without TLS: the resource type, and the property with the name of the resource. */
const TLS_POLICIES: Readonly<Record<string, readonly [policy: string, property: string]>> = {
  'AWS::S3::Bucket': ['AWS::S3::BucketPolicy', 'Bucket'],
  'AWS::SQS::Queue': ['AWS::SQS::QueuePolicy', 'Queues'],
  'AWS::SNS::Topic': ['AWS::SNS::TopicPolicy', 'Topics'],
};

function hasTls({ Resources }: Template, id: string, [policy, property]: readonly [string, string]): boolean {
  return Object.values<Resource>(Resources).some(({ Type, Properties }) => {
    const isOfStore =
      Type === policy && [Properties[property]].flat().some((named) => (named as { Ref?: string }).Ref === id);
    const { Statement } = (Properties?.PolicyDocument ?? { Statement: [] }) as { Statement: readonly Properties[] };
    return isOfStore && Statement.some(deniesPlainRequests);
  });
}

function deniesPlainRequests({ Effect, Condition }: Properties): boolean {
  const { Bool } = (Condition ?? {}) as { Bool?: Properties };
  return Effect === 'Deny' && Bool?.['aws:SecureTransport'] === 'false';
}

/** The faults of a template, as `logical id: what`. */
export function findFaults(template: Template): readonly string[] {
  return Object.entries<Resource>(template.Resources).flatMap(([id, { Type, Properties }]) => {
    const policy = TLS_POLICIES[Type];
    const plain = policy && !hasTls(template, id, policy) ? ['requests without TLS are accepted'] : [];
    return [CHECKS[Type]?.(Properties ?? {}, id) ?? [], plain].flat().map((fault) => `${id}: ${fault}`);
  });
}
