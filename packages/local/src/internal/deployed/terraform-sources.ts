import { isObject, membersOf, objectPart, stringOf } from '@sallyport/core/internal';
import type { ManifestSource } from '../../manifest/parse-manifest.js';
import { mappingSettings } from './deployed.js';
import { listOf, type Plan, type PlannedResource } from './plan.js';

/** The kinds of sources of an event source mapping, by the type of the resource and the attribute with its name. */
const MAPPED = [
  ['queue', 'aws_sqs_queue', 'name'],
  ['stream', 'aws_kinesis_stream', 'name'],
  ['table-stream', 'aws_dynamodb_table', 'name'],
] as const;

/** The sources of a function of a plan. */
export function planSources(plan: Plan, fn: PlannedResource): readonly ManifestSource[] {
  const ofFunction = (type: string, expression: string) =>
    plan.ofType(type).filter((one) => plan.referenced(one, expression, 'aws_lambda_function')?.address === fn.address);
  return [
    ...ofFunction('aws_lambda_event_source_mapping', 'function_name').flatMap((one) => mappedSource(plan, one) ?? []),
    ...ofFunction('aws_sns_topic_subscription', 'endpoint').flatMap((one) => topicSource(plan, one) ?? []),
    ...ofFunction('aws_cloudwatch_event_target', 'arn').flatMap((one) => ruleSource(plan, one) ?? []),
  ];
}

/** https://github.com/hashicorp/terraform-provider-aws/blob/main/website/docs/r/lambda_event_source_mapping.html.markdown */
function mappedSource(plan: Plan, one: PlannedResource): ManifestSource | undefined {
  const { values } = one;
  for (const [kind, type, attribute] of MAPPED) {
    const source = plan.referenced(one, 'event_source_arn', type);
    const name = source ? physicalName(source, attribute) : nameInArn(values.event_source_arn, kind);
    if (name === undefined) continue;
    const [criteria, scaling] = [values.filter_criteria, values.scaling_config].map((block) =>
      membersOf(listOf(block)[0]),
    );
    const mapping = mappingSettings({
      batchSize: values.batch_size,
      responseTypes: values.function_response_types,
      filters: listOf(criteria?.filter).map((filter) => membersOf(filter).pattern),
      retries: values.maximum_retry_attempts,
      maxAgeSeconds: values.maximum_record_age_in_seconds,
      bisect: values.bisect_batch_on_function_error,
      concurrency: scaling?.maximum_concurrency,
      ...(kind === 'queue' && { windowSeconds: values.maximum_batching_window_in_seconds }),
    });
    return { kind, name, settings: { ...mapping, ...(kind === 'queue' && queueSettings(source)) } };
  }
  return undefined;
}

function queueSettings(queue: PlannedResource | undefined): Readonly<Record<string, unknown>> {
  const visibility = queue?.values.visibility_timeout_seconds;
  const receptions = Number(objectPart(queue?.values.redrive_policy).maxReceiveCount);
  return {
    ...(typeof visibility === 'number' && { visibilityTimeoutMs: visibility * 1000 }),
    ...(receptions > 0 && { maxReceiveCount: receptions }),
  };
}

function topicSource(plan: Plan, one: PlannedResource): ManifestSource | undefined {
  const topic = plan.referenced(one, 'topic_arn', 'aws_sns_topic');
  const name = topic ? physicalName(topic, 'name') : nameInArn(one.values.topic_arn, 'topic');
  const policy = objectPart(one.values.filter_policy);
  const scope = one.values.filter_policy_scope;
  const settings = {
    ...(Object.keys(policy).length > 0 && { filterPolicy: policy }),
    ...(typeof scope === 'string' && { filterPolicyScope: scope }),
  };
  return name === undefined ? undefined : { kind: 'topic', name, settings };
}

function ruleSource(plan: Plan, one: PlannedResource): ManifestSource | undefined {
  const rule = plan.referenced(one, 'rule', 'aws_cloudwatch_event_rule');
  if (!rule) return undefined;
  const { schedule_expression: expression, event_pattern: pattern, event_bus_name: bus } = rule.values;
  if (typeof expression === 'string') {
    const input = objectPart(one.values.input);
    const detail = Object.keys(input).length > 0 && { input };
    return { kind: 'schedule', name: physicalName(rule, 'name'), expression, ...detail, settings: {} };
  }
  const read = objectPart(pattern);
  if (!isObject(pattern) && Object.keys(read).length === 0) return undefined;
  return { kind: 'event-bus', name: stringOf(bus) || 'default', pattern: read, settings: {} };
}

/** The name of a resource; if `apply` determines it, the name in the configuration. */
function physicalName({ values, address }: PlannedResource, attribute: string): string {
  return stringOf(values[attribute]) || address.slice(address.lastIndexOf('.') + 1);
}

const ARN_SERVICES = { queue: 'sqs', stream: 'kinesis', 'table-stream': 'dynamodb', topic: 'sns' } as const;

function nameInArn(arn: unknown, kind: keyof typeof ARN_SERVICES): string | undefined {
  const [, service, name] = /^arn:[^:]*:([^:]*):[^:]*:[^:]*:(?:\w+\/)?([^/]+)/.exec(stringOf(arn)) ?? [];
  return service === ARN_SERVICES[kind] ? name : undefined;
}
