import {
  defineOptions,
  func,
  invalidOption,
  kind,
  object,
  parsed,
  string,
  withMethods,
} from '../options/define-options.js';
import { createMap } from '../request/request.js';
import { type Clock, type Environment, systemClock } from '../runtime/invocation.js';
import { encodeLine, sanitizeLogString, type WriteLine, writeToStdout } from '../sanitize/log-text.js';
import { guardHook, type MetricRecord, type MetricUnit } from './hooks.js';
import { UNBOUNDED_TAGS } from './metrics.js';

/** Options of {@link createEmfSink}. */
export interface EmfSinkOptions {
  /** The namespace of the metrics in CloudWatch; default `Framework`. */
  readonly namespace?: string;
  /** The dimension `service`; default: `AWS_LAMBDA_FUNCTION_NAME`, else `''`. */
  readonly service?: string;
  /**
   * Dimension sets. A metric uses the sets whose names it has. Default: sets of `service` and the tags of the framework's
   * metrics.
   */
  readonly dimensions?: readonly (readonly string[])[];
  /**
   * The dimension `version`, which `RequestErrors` and `BatchFailures` have next to `service`, so that a canary can compare a new version. Default:
   * `AWS_LAMBDA_FUNCTION_VERSION`; without it these metrics have no version.
   */
  readonly version?: string;
  /** Writes one line; default: to standard output. */
  readonly write?: WriteLine;
  /** The clock for timestamps; default: the system's clock. */
  readonly clock?: Clock;
  /** Environment variables; default: `process.env`. */
  readonly environment?: Environment;
}

const REQUEST_TAGS = ['service', 'trigger', 'method', 'route', 'status', 'error_code'];
const EVENT_TAGS = ['service', 'trigger', 'source', 'outcome', 'error_code'];
const REQUEST_SETS = [['service'], ['service', 'method', 'route']];
const EVENT_SETS = [['service'], ['service', 'trigger', 'source']];
const MAX_DIMENSIONS = 9;
const MAX_DIMENSION_LENGTH = 256;
const MAX_ERROR_CODES = 64;

/** Validates the options; the table in the README is generated from it. */
export const EMF_SINK_OPTIONS = defineOptions<EmfSinkOptions>()({
  namespace: kind<string>(
    'a CloudWatch namespace',
    (value) => typeof value === 'string' && /^[\w.:/#-]{1,255}$/.test(value),
  ).default('Framework'),
  service: string,
  version: string,
  dimensions: parsed('a list of dimension sets', parseDimensions),
  write: func<WriteLine>().default(writeToStdout),
  clock: withMethods<Clock>('now').default(systemClock),
  environment: object<Environment>(),
});

/** The key of a sink's namespace and service; shared by name with `@sallyport/dispatch`. */
const EMF = Symbol.for('sallyport.core.emf-sink/1');

/** The metrics that have the dimension `version`: only these, because each deployment creates new ones. */
const VERSIONED = ['RequestErrors', 'BatchFailures'];

interface Value {
  readonly name: string;
  readonly unit: MetricUnit;
  readonly value: number;
}

/**
 * A metric hook that writes each metric as one line of CloudWatch's Embedded Metric Format: no agent, no call. The number
 * of dimensions is limited by the registrations; error codes after the first 64 count as `other`.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option, or a dimension that is not bounded
 * @example createApp({ observability: { metric: createEmfSink({ namespace: 'Shop' }) } });
 */
export function createEmfSink(options: EmfSinkOptions = {}): (record: MetricRecord) => void {
  const {
    namespace,
    dimensions: sets,
    write,
    clock,
    environment = process.env,
    ...given
  } = EMF_SINK_OPTIONS.parse(options);
  const service = given.service ?? environment.AWS_LAMBDA_FUNCTION_NAME ?? '';
  const version = given.version ?? environment.AWS_LAMBDA_FUNCTION_VERSION ?? '';
  const errorCodes = new Set<string>();
  const sink = (record: MetricRecord) => {
    const tags: Record<string, string> = { ...record.tags, service };
    if (tags.error_code !== undefined) tags.error_code = boundedCode(errorCodes, tags.error_code);
    guardHook(
      write,
      encodeLine(
        emfLine(record, tags, dimensionSets(record, sets), { namespace, version, timestamp: clock.now().getTime() }),
      ),
    );
  };
  return Object.defineProperty(sink, EMF, { value: { namespace, service: given.service } });
}

function emfLine(
  record: MetricRecord,
  tags: Readonly<Record<string, string>>,
  sets: readonly (readonly string[])[],
  {
    namespace,
    version,
    timestamp,
  }: { readonly namespace: string; readonly version: string; readonly timestamp: number },
): Record<string, unknown> {
  const values = valuesOf(record);
  const names = [...new Set(sets.flat())];
  const line = createMap<unknown>();
  const metrics = values.map(({ name, unit }) => ({ Name: name, Unit: unit }));
  const versioned = version === '' ? [] : metrics.filter(({ Name }) => VERSIONED.includes(Name));
  line._aws = {
    Timestamp: timestamp,
    CloudWatchMetrics: [
      { Namespace: namespace, Dimensions: sets, Metrics: metrics },
      ...(versioned.length > 0
        ? [{ Namespace: namespace, Dimensions: [['service', 'version']], Metrics: versioned }]
        : []),
    ],
  };
  for (const name of names) line[name] = dimensionValue(tags[name]);
  if (versioned.length > 0) {
    line.service = dimensionValue(tags.service);
    line.version = dimensionValue(version);
  }
  for (const { name, value } of values) line[name] = value;
  for (const [name, value] of properties(record, tags)) line[name] ??= value;
  return line;
}

/** A valid dimension value for CloudWatch: not empty and not too long. */
function dimensionValue(value: string | undefined): string {
  const text = sanitizeLogString(value ?? '').trim();
  return text === '' ? 'none' : text.slice(0, MAX_DIMENSION_LENGTH);
}

function valuesOf({ name, value, unit, duration_ms, tags }: MetricRecord): readonly Value[] {
  const duration = duration_ms ?? 0;
  if (name === 'framework.request') {
    const status = Number(tags.status);
    return [
      { name: 'RequestCount', unit: 'Count', value },
      { name: 'RequestDuration', unit: 'Milliseconds', value: duration },
      { name: 'RequestErrors', unit: 'Count', value: status >= 500 ? 1 : 0 },
      { name: 'RequestRejections', unit: 'Count', value: status >= 400 && status < 500 ? 1 : 0 },
    ];
  }
  if (name !== 'framework.event') return [{ name, unit: unit ?? 'None', value }];
  const batch: readonly Value[] = [
    { name: 'BatchRecords', unit: 'Count', value: Number(tags.records) },
    { name: 'BatchFailures', unit: 'Count', value: Number(tags.failed) },
  ];
  return [
    { name: 'EventCount', unit: 'Count', value },
    { name: 'EventDuration', unit: 'Milliseconds', value: duration },
    { name: 'EventErrors', unit: 'Count', value: tags.outcome === 'error' ? 1 : 0 },
    ...(tags.records === undefined ? [] : batch),
  ];
}

/** Searchable in the log, never dimensions. */
function properties(record: MetricRecord, tags: Readonly<Record<string, string>>): [string, string][] {
  const names =
    record.name === 'framework.request'
      ? ['status', 'error_code', 'trigger']
      : record.name === 'framework.event'
        ? ['outcome', 'error_code']
        : [];
  const ids = record.name === 'framework.event' ? ['request_id'] : ['tenant_id', 'request_id'];
  return [
    ...names.map((name): [string, string] => [name, tags[name] ?? '']),
    ...ids.map((name): [string, string] => [name, sanitizeLogString(record.properties?.[name] ?? '')]),
  ].filter(([, value]) => value !== '') as [string, string][];
}

function dimensionSets(
  { name, tags }: MetricRecord,
  own: readonly (readonly string[])[] | undefined,
): readonly (readonly string[])[] {
  const known = name === 'framework.request' ? REQUEST_TAGS : name === 'framework.event' ? EVENT_TAGS : undefined;
  if (!known) {
    const keys = Object.keys(tags);
    return keys.length === 0 ? [['service']] : [['service'], ['service', ...keys]];
  }
  if (!own) return name === 'framework.request' ? REQUEST_SETS : EVENT_SETS;
  const fitting = own.filter((set) => set.every((tag) => known.includes(tag)));
  return fitting.length > 0 ? fitting : [['service']];
}

function boundedCode(known: Set<string>, code: string): string {
  if (code === '' || known.has(code)) return code;
  if (known.size >= MAX_ERROR_CODES) return 'other';
  known.add(code);
  return code;
}

function parseDimensions(sets: unknown): readonly (readonly string[])[] {
  if (!Array.isArray(sets) || sets.length === 0) throw invalidOption('dimensions', 'a list of dimension sets');
  return sets.map((set: unknown) => {
    if (!Array.isArray(set) || set.length === 0 || set.length > MAX_DIMENSIONS || new Set(set).size < set.length) {
      throw invalidOption('dimensions', `sets of 1 to ${MAX_DIMENSIONS} different names`);
    }
    const foreign: unknown = set.find((name) => !REQUEST_TAGS.includes(name) && !EVENT_TAGS.includes(name));
    if (foreign === undefined) return Object.freeze([...set]) as readonly string[];
    const unbounded = UNBOUNDED_TAGS.includes(String(foreign)) ? `, never "${String(foreign)}"` : '';
    throw invalidOption('dimensions', `sets of service and the metrics' tags${unbounded}`);
  });
}
