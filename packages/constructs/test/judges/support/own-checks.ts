import type { Resource, Template } from '../../support/synth.js';

type Properties = Readonly<Record<string, unknown>>;
type Check = (properties: Properties, id: string) => string | undefined;

/** What the engine of the CDK does not find. https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-parameters.html */
const CHECKS: Readonly<Record<string, Check>> = {
  'AWS::Lambda::EventSourceMapping': ({ BatchSize, MaximumBatchingWindowInSeconds, StartingPosition, EventSourceArn }) => {
    const isQueue = !/stream|kinesis/i.test(JSON.stringify(EventSourceArn ?? ''));
    if (isQueue && Number(BatchSize) > 10 && !MaximumBatchingWindowInSeconds) return 'a batch of more than 10 needs a window';
    if (!isQueue && StartingPosition === undefined) return 'a stream needs a starting position';
    return undefined;
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

/** The faults of a template, as `logical id: what`. */
export function findFaults({ Resources }: Template): readonly string[] {
  return Object.entries<Resource>(Resources).flatMap(([id, { Type, Properties }]) => {
    const fault = CHECKS[Type]?.(Properties ?? {}, id);
    return fault === undefined ? [] : [`${id}: ${fault}`];
  });
}
