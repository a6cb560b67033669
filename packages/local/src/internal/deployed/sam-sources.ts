import { isObject, type Members, membersOf, objectPart, stringOf } from '@sallyport/core/internal';
import type { ManifestSource } from '../../manifest/parse-manifest.js';
import { mappingSettings } from './deployed.js';
import { registeredNames, type Sam, type SamFunction } from './sam-template.js';

type Settings = Readonly<Record<string, unknown>>;
type Read = (given: Given) => ManifestSource | undefined;

/** A source of a function: an event of the function, or a resource that names the function. */
interface Given {
  readonly sam: Sam;
  readonly properties: Members;
  /** The logical id of the event or resource. */
  readonly id: string;
  /** The name of a source: of its registration, else its physical name, else its logical id. */
  readonly nameOf: (value: unknown, ...members: readonly string[]) => string | undefined;
}

/** https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-property-function-eventsource.html */
const EVENTS: Readonly<Record<string, Read>> = {
  SQS: (given) => queueSource(given, given.properties.Queue),
  Kinesis: (given) => streamSource('stream', given, given.nameOf(given.properties.Stream, 'Name')),
  DynamoDB: (given) => streamSource('table-stream', given, given.nameOf(given.properties.Stream, 'TableName')),
  SNS: topicSource,
  EventBridgeRule: ruleSource,
  CloudWatchEvent: ruleSource,
  Schedule: ({ sam, properties, id, nameOf }) =>
    schedule(sam, nameOf({ Ref: id }) ?? id, properties.Schedule, properties.Input),
  ScheduleV2: ({ sam, properties, id, nameOf }) =>
    schedule(sam, nameOf({ Ref: id }) ?? id, properties.ScheduleExpression, properties.Input),
  S3: ({ properties, nameOf }) => {
    const name = nameOf(properties.Bucket, 'BucketName');
    return name === undefined ? undefined : { kind: 's3', name, settings: {} };
  },
};

/** The sources of a function: its events, and the mappings, subscriptions and rules that name it. */
export function samSources(sam: Sam, one: SamFunction): readonly ManifestSource[] {
  const names = registeredNames(sam, one);
  const nameOf: Given['nameOf'] = (value, ...members) => {
    const id = sam.values.resource(value);
    if (id !== undefined && names[id] !== undefined) return names[id];
    const properties = membersOf(membersOf(sam.resources[id ?? '']).Properties);
    const [physical] = members.map((member) => sam.values.literal(properties[member])).filter(Boolean);
    if (typeof physical === 'string') return physical;
    const arn = sam.values.literal(value);
    const [, name] = typeof arn === 'string' ? (/^arn:[^:]*:[^:]*:[^:]*:[^:]*:(?:\w+\/)?([^/]+)/.exec(arn) ?? []) : [];
    return name ?? id;
  };
  const own = one.events.flatMap(({ type, properties, id }) => EVENTS[type]?.({ sam, properties, id, nameOf }) ?? []);
  const attached = Object.entries(sam.resources).flatMap(([id, resource]) => {
    const { Type, Properties } = membersOf(resource);
    const properties = membersOf(Properties);
    const named = [properties.FunctionName, properties.Endpoint].map((value) => sam.values.resource(value));
    if (!named.includes(one.id)) return [];
    return attachedSource(stringOf(Type), { sam, properties, id, nameOf }) ?? [];
  });
  return [...own, ...attached];
}

function attachedSource(type: string, given: Given): ManifestSource | undefined {
  const { properties, sam } = given;
  if (type === 'AWS::SNS::Subscription')
    return topicSource({ ...given, properties: { ...properties, Topic: properties.TopicArn } });
  if (type !== 'AWS::Lambda::EventSourceMapping') return undefined;
  const source = properties.EventSourceArn;
  const kind = stringOf(membersOf(sam.resources[sam.values.resource(source) ?? '']).Type);
  if (kind === 'AWS::SQS::Queue') return queueSource(given, source);
  if (kind === 'AWS::Kinesis::Stream') return streamSource('stream', given, given.nameOf(source, 'Name'));
  return kind === 'AWS::DynamoDB::Table'
    ? streamSource('table-stream', given, given.nameOf(source, 'TableName'))
    : undefined;
}

function queueSource(given: Given, queue: unknown): ManifestSource | undefined {
  const { sam, nameOf } = given;
  const name = nameOf(queue, 'QueueName');
  if (name === undefined) return undefined;
  const own = membersOf(membersOf(sam.resources[sam.values.resource(queue) ?? '']).Properties);
  const visibility = sam.values.literal(own.VisibilityTimeout);
  const redrive = objectPart(own.RedrivePolicy);
  const receptions = Number(sam.values.literal(redrive.maxReceiveCount));
  const windowSeconds = sam.values.literal(given.properties.MaximumBatchingWindowInSeconds);
  const settings = {
    ...mapping(given, windowSeconds),
    ...(typeof visibility === 'number' && { visibilityTimeoutMs: visibility * 1000 }),
    ...(receptions > 0 && { maxReceiveCount: receptions }),
  };
  return { kind: 'queue', name, settings };
}

function streamSource(kind: string, given: Given, name: string | undefined): ManifestSource | undefined {
  return name === undefined ? undefined : { kind, name, settings: mapping(given) };
}

function mapping({ sam, properties }: Given, windowSeconds?: unknown): Settings {
  const { literal } = sam.values;
  const filters = literal(membersOf(properties.FilterCriteria).Filters);
  const patterns = Array.isArray(filters) ? filters.map((filter) => membersOf(filter).Pattern) : [];
  return mappingSettings({
    batchSize: literal(properties.BatchSize),
    responseTypes: literal(properties.FunctionResponseTypes),
    filters: patterns,
    retries: literal(properties.MaximumRetryAttempts),
    maxAgeSeconds: literal(properties.MaximumRecordAgeInSeconds),
    bisect: literal(properties.BisectBatchOnFunctionError),
    concurrency: literal(membersOf(properties.ScalingConfig).MaximumConcurrency),
    windowSeconds,
  });
}

function topicSource({ sam, properties, nameOf }: Given): ManifestSource | undefined {
  const name = nameOf(properties.Topic, 'TopicName');
  const filterPolicy = sam.values.literal(properties.FilterPolicy);
  const filterPolicyScope = sam.values.literal(properties.FilterPolicyScope);
  const settings = {
    ...(isObject(filterPolicy) && { filterPolicy }),
    ...(typeof filterPolicyScope === 'string' && { filterPolicyScope }),
  };
  return name === undefined ? undefined : { kind: 'topic', name, settings };
}

function ruleSource({ sam, properties, nameOf }: Given): ManifestSource | undefined {
  const pattern = sam.values.literal(properties.Pattern ?? properties.EventPattern);
  const bus = properties.EventBusName;
  const name = bus === undefined ? 'default' : (nameOf(bus, 'Name') ?? sam.values.literal(bus));
  return isObject(pattern) && typeof name === 'string' ? { kind: 'event-bus', name, pattern, settings: {} } : undefined;
}

function schedule({ values }: Sam, name: string, expression: unknown, input: unknown): ManifestSource {
  const [text, detail] = [values.literal(expression), objectPart(values.literal(input))];
  return {
    kind: 'schedule',
    name,
    ...(typeof text === 'string' && { expression: text }),
    ...(Object.keys(detail).length > 0 && { input: detail }),
    settings: {},
  };
}
