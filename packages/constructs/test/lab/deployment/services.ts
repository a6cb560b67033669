/** Rules of single services that determine whether an update succeeds, beyond names and replacement. Each has its source. */
import { identity, parametersOf, typeOf } from './resource-types.js';

type Properties = Readonly<Record<string, unknown>>;

/** A resource as it exists in the account. */
export interface Thing {
  readonly type: string;
  readonly stack: string;
  readonly id: string;
  /** The name or the id that AWS uses. */
  readonly physical: string;
  readonly properties: Properties;
}

/** One account in one region. */
export interface World {
  readonly things: Map<string, Thing>;
  /** Settings of other resources, such as the policy of a queue: the thing that wrote each. */
  readonly settings: Map<string, string>;
  /** The role of API Gateway's logs. */
  logRole: string | undefined;
  /** The log groups in the one resource policy that CloudWatch Logs keeps for deliveries. */
  readonly deliveries: Set<string>;
}

/** Raised by a service. */
export class Rejected extends Error {}

/** https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/cloudwatch_limits_cwl.html */
const LOG_POLICIES = 10;
const LOG_POLICY_CHARACTERS = 5120;

type Rule = (world: World, thing: Thing, before: Thing | undefined) => void;

const all = (world: World, type: string) => [...world.things.values()].filter((one) => one.type === type);

/** The role must exist: https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-logging.html, https://github.com/aws/aws-cdk/pull/33977 */
function needsLogRole(world: World): void {
  const exists =
    world.logRole !== undefined && (world.things.has(world.logRole) || world.logRole.startsWith('arn:aws:'));
  if (!exists) throw new Rejected('CloudWatch Logs role ARN must be set in account settings to enable logging');
}

/**
 * A group outside `/aws/vendedlogs/` becomes an entry of one resource policy, and is never removed.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/AWS-logs-infrastructure-V2-CloudWatchLogs.html, https://github.com/serverless/serverless/issues/10469
 */
function deliverTo(world: World, destination: unknown): void {
  const key = identity(destination).replace(/:\*$/, '');
  const group = String(world.things.get(key)?.properties.LogGroupName ?? key);
  if (group.startsWith('/aws/vendedlogs/')) return;
  world.deliveries.add(group);
  const length = [...world.deliveries].reduce(
    (sum, one) => sum + one.length + 'arn:aws:logs:eu-west-1:123456789012:log-group::log-stream:*,'.length,
    0,
  );
  if (length > LOG_POLICY_CHARACTERS)
    throw new Rejected('Policy document length breaking Cloudwatch Logs Constraints, either < 1 or > 5120');
}

/** The signature of a subscription without its attributes. */
const subscriptionOf = ({ TopicArn, Protocol, Endpoint }: Properties) =>
  [TopicArn, Protocol, Endpoint].map(identity).join(' ');

/** The code and the settings of a version. */
const codeOf = ({ Environment, Code, Layers, MemorySize, Timeout, Runtime, Handler }: Properties) =>
  JSON.stringify([Environment, Code, Layers, MemorySize, Timeout, Runtime, Handler]);

/** Checks and effects when a resource is created or changed. */
export const ON_WRITE: Readonly<Record<string, Rule>> = {
  'AWS::ApiGateway::Account': (world, { properties: { CloudWatchRoleArn } }) => {
    world.logRole = identity(CloudWatchRoleArn);
  },
  // `src/http/internal/account-handler.ts`: sets the role only if it is missing, or if the role does not exist.
  'Custom::ApiGatewayAccount': (world, { properties: { RoleArn } }) => {
    const exists =
      world.logRole !== undefined && (world.things.has(world.logRole) || world.logRole.startsWith('arn:aws:'));
    if (!exists) world.logRole = identity(RoleArn);
  },
  'AWS::ApiGateway::Stage': (world, { properties: { AccessLogSetting } }) => {
    if (AccessLogSetting !== undefined) needsLogRole(world);
  },
  'AWS::ApiGatewayV2::Stage': (world, { properties: { ApiId, AccessLogSettings } }) => {
    if (AccessLogSettings === undefined) return;
    const api = world.things.get(identity(ApiId));
    if (api?.properties.ProtocolType === 'WEBSOCKET') needsLogRole(world);
    else deliverTo(world, (AccessLogSettings as Properties).DestinationArn);
  },
  // 409 ConflictException of ApiGatewayV2, quoted in https://github.com/KensioSoftware/yulin/pull/307
  'AWS::ApiGatewayV2::Route': (world, { physical, properties: { ApiId, RouteKey } }) => {
    const own = parametersOf(String(RouteKey));
    for (const other of all(world, 'AWS::ApiGatewayV2::Route')) {
      if (other.physical === physical || identity(other.properties.ApiId) !== identity(ApiId)) continue;
      const theirs = new Map(parametersOf(String(other.properties.RouteKey)));
      const differs = own.some(([position, name]) => theirs.has(position) && theirs.get(position) !== name);
      if (differs)
        throw new Rejected(
          `The provided route key ${String(RouteKey)} has a conflicting variable on the same hierarchical level as ${String(other.properties.RouteKey)}`,
        );
    }
  },
  'AWS::Logs::ResourcePolicy': (world) => {
    if (all(world, 'AWS::Logs::ResourcePolicy').length > LOG_POLICIES) throw new Rejected('Resource limit exceeded');
  },
  // https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateTable.html
  'AWS::DynamoDB::Table': (_world, { properties }, before) => {
    if (before === undefined) return;
    const names = (of: Properties) =>
      ((of.GlobalSecondaryIndexes ?? []) as { IndexName: string }[]).map(({ IndexName }) => IndexName);
    const [old, now] = [names(before.properties), names(properties)];
    const changes = [...now.filter((one) => !old.includes(one)), ...old.filter((one) => !now.includes(one))];
    if (changes.length > 1)
      throw new Rejected('Cannot perform more than one GSI creation or deletion in a single update');
  },
  // https://github.com/aws/aws-cdk/issues/5334
  'AWS::Lambda::Version': (world, { physical, properties: { FunctionName } }, before) => {
    if (before !== undefined) return;
    const fn = world.things.get(identity(FunctionName));
    const published = `version ${identity(FunctionName)}`;
    const code = fn === undefined ? '' : codeOf(fn.properties);
    const last = world.settings.get(published);
    if (last?.endsWith(code) && last !== `${physical} ${code}`)
      throw new Rejected(
        'A version for this Lambda function exists ( 1 ). Modify the function to create a new version.',
      );
    world.settings.set(published, `${physical} ${code}`);
  },
  // The provider of the CDK writes the whole configuration of a bucket of the stack, and writes an empty one when it is deleted.
  'Custom::S3BucketNotifications': (world, { physical, properties: { BucketName } }) => {
    world.settings.set(`notifications ${identity(BucketName)}`, physical);
  },
};

/** Effects when a resource is deleted. */
export const ON_DELETE: Readonly<Record<string, (world: World, thing: Thing) => void>> = {
  'Custom::S3BucketNotifications': (world, { properties: { BucketName } }) => {
    world.settings.delete(`notifications ${identity(BucketName)}`);
  },
};

/**
 * The subscription that SNS returns for a second one of a topic and an endpoint: the same one if its attributes are equal, else an error.
 * https://docs.aws.amazon.com/sns/latest/api/API_Subscribe.html, https://github.com/go-to-k/cdkd/issues/1967
 */
export function existingSubscription(world: World, { properties }: Thing): Thing | undefined {
  const same = all(world, 'AWS::SNS::Subscription').find(
    (one) => subscriptionOf(one.properties) === subscriptionOf(properties),
  );
  if (same === undefined) return undefined;
  if (JSON.stringify(same.properties) === JSON.stringify(properties)) return same;
  throw new Rejected('Invalid parameter: Attributes Reason: Subscription already exists with different attributes');
}

/** The identities that only one resource may have. */
export function identitiesOf({ type, properties }: Thing): readonly string[] {
  const { name, unique } = typeOf(type);
  const named =
    name !== undefined && properties[name] !== undefined && unique === undefined
      ? [`${identity(properties[name])}`]
      : [];
  return [...named, ...(unique?.(properties) ?? [])].map((one) => `${type} ${one}`);
}
