import { METRIC_GROUPS, type MetricGroup, type MetricRow } from '../../packages/core/src/observability/metric-table.js';

/** The value of each metric, for readers. */
const TEXTS: Readonly<Record<string, string>> = {
  RequestCount: 'requests, GraphQL fields and WebSocket messages',
  RequestDuration: 'time to the last byte',
  RequestErrors: '1 for an answer of 500 or more, else 0: the average is the fraction of failed requests',
  RequestRejections: '1 for an answer from 400 to 499, else 0',
  EventCount: 'batches, and events outside batches',
  EventDuration: 'time of the whole batch or event',
  EventErrors: '1 for a batch or event that failed or has a failed record, else 0',
  BatchRecords: 'records of a batch',
  BatchFailures: 'records of a batch that failed or were not tried',
  BatchRetries: 'messages of a queue that were received before',
  OldestRecordAge: 'age of the oldest record of an SQS, SNS, EventBridge, Kinesis, DynamoDB or Kafka event',
  CallCount: 'calls of tools, resources and prompts of MCP servers',
  CallDuration: 'time of the call',
  CallErrors: '1 for a call that failed, timed out or has a result with `isError`, else 0',
  LimitAllowed: 'requests that a rate limit allowed',
  LimitDenied: 'requests that a rate limit denied',
  LimitUnknown: 'requests that were not counted, because the store of the rate limit failed',
  ExecutionErrors: 'durable executions that failed in the function',
  SpansDropped:
    'spans that were not sent, that a receiver rejected, or that ended after their invocation; reported by the next invocation',
  SpanExportFailures: 'requests or datagrams with spans that failed; reported by the next invocation',
  ColdStarts: 'environments that started while their first invocation waited',
  FoldedValues: 'values of tags that were replaced by `other`',
};

/** The list price of a custom metric: https://aws.amazon.com/cloudwatch/pricing/. */
const USD = '0.30';

/** The dimension whose values multiply the metrics of a set, in words. */
const MULTIPLIERS: Readonly<Record<string, string>> = {
  trigger: ' for each kind of event',
  route: ' for each method and route',
  source: ' for each source',
  kind: ' for each of `tool`, `resource`, `prompt`',
  target: ' for each tool, resource and prompt',
  policy: ' for each policy',
  version: ' for each running version',
};

const MARKED = /<!-- metrics -->[\s\S]*?<!-- \/metrics -->/;

/** The page with the table of metrics between its marks. */
export function renderMetricTable(text: string): string {
  return text.replace(MARKED, `<!-- metrics -->\n${tableOf(METRIC_GROUPS)}\n<!-- /metrics -->`);
}

/** Metrics without a description, descriptions without a metric, and a page without the marks. */
export function checkMetricTable(text: string): readonly string[] {
  const names = METRIC_GROUPS.flatMap(({ metrics }) => metrics.map(({ name }) => name));
  return [
    ...names.filter((name) => !(name in TEXTS)).map((name) => `no description of the metric ${name}`),
    ...Object.keys(TEXTS)
      .filter((name) => !names.includes(name))
      .map((name) => `no metric ${name}`),
    ...(MARKED.test(text) ? [] : ['no marks for the table of metrics']),
  ];
}

function tableOf(groups: readonly MetricGroup[]): string {
  const rows = groups.flatMap((group) => group.metrics.map((metric) => rowOf(group, metric)));
  return ['| metric | unit | value | dimensions, USD a month | with `by` |', '|---|---|---|---|---|', ...rows].join(
    '\n',
  );
}

function rowOf({ dimensions, by }: MetricGroup, { name, unit, alarmed }: MetricRow): string {
  const sets = [dimensions, ...(alarmed ? [['service'], ['service', 'version']] : [])];
  const detail = by ? `\`${by.detail}\`: ${priced(by.dimensions)}` : '';
  return `| \`${name}\` | ${unit} | ${TEXTS[name] ?? ''} | ${[...new Set(sets.map(priced))].join('; ')} | ${detail} |`;
}

function priced(set: readonly string[]): string {
  const multiplier = MULTIPLIERS[set.at(-1) ?? ''] ?? '';
  return `${set.map((name) => `\`${name}\``).join(', ')}: ${USD}${multiplier}`;
}
