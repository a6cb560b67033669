import {
  defineOptions,
  func,
  invalidOption,
  kind,
  list,
  object,
  oneOf,
  parsed,
  string,
  withMethods,
} from '../options/define-options.js';
import { type Clock, type Environment, systemClock } from '../runtime/invocation.js';
import { encodeLine, sanitizeLogString, type WriteLine, writeToStdout } from '../sanitize/log-text.js';
import { endOf, isEndHolder } from './ending.js';
import { guardHook, type MetricRecord } from './hooks.js';
import { type MetricEntry, toLines } from './internal/emf-lines.js';
import {
  BoundedValues,
  COLD_START,
  groupOf,
  isColdStart,
  METRIC_GROUPS,
  type MetricDetail,
  type MetricGroup,
  pointsOf,
} from './metric-table.js';
import { UNBOUNDED_TAGS } from './metrics.js';

/** Options of {@link createEmfSink}. */
export interface EmfSinkOptions {
  /** The namespace of the metrics in CloudWatch; default `Framework`. */
  readonly namespace?: string;
  /** The dimension `service`; default: `AWS_LAMBDA_FUNCTION_NAME`, else `''`. */
  readonly service?: string;
  /**
   * Adds dimensions, and with them custom metrics: `route` for each method and route of requests, `source` for each source of events,
   * `tool` for each tool, resource and prompt of MCP servers, `policy` for each policy of rate limits. Default: none.
   */
  readonly by?: readonly ('route' | 'source' | 'tool' | 'policy')[];
  /**
   * Dimension sets, instead of the default: `service` and `trigger`. A metric uses the sets whose names it has, else the set `service`.
   * `RequestErrors` and `BatchFailures` always have the sets of alarms: `service`, and `service` with `version`.
   */
  readonly dimensions?: readonly (readonly string[])[];
  /**
   * The dimension `version`, which `RequestErrors`, `BatchFailures` and `ExecutionErrors` have next to `service`, so that a canary can compare a new version. Default:
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

const MAX_DIMENSIONS = 30;
const MAX_DIMENSION_LENGTH = 256;
const MAX_ERROR_CODES = 64;
/** Values of one tag of a declared metric. */
const MAX_TAG_VALUES = 100;
/** Values that wait for the end of an invocation; more are written earlier. */
const MAX_WAITING = 1000;
const TAGS: readonly string[] = ['service', ...METRIC_GROUPS.flatMap(({ tags }) => tags)];
const DETAILS: readonly MetricDetail[] = ['route', 'source', 'tool', 'policy'];

/** Validates the options; the table in the README is generated from it. */
export const EMF_SINK_OPTIONS = defineOptions<EmfSinkOptions>()({
  namespace: kind<string>(
    'a CloudWatch namespace',
    (value) => typeof value === 'string' && /^[\w.:/#-]{1,255}$/.test(value),
  ).default('Framework'),
  service: string,
  version: string,
  dimensions: parsed('a list of dimension sets', parseDimensions),
  by: list(oneOf(...DETAILS), 'a list of "route", "source", "tool" and "policy"').default([]),
  write: func<WriteLine>().default(writeToStdout),
  clock: withMethods<Clock>('now').default(systemClock),
  environment: object<Environment>(),
});

/** The key of a sink's facts for a deployment; shared by name with `@sallyport/dispatch`. */
const EMF = Symbol.for('sallyport.core.emf-sink/1');

/**
 * A metric hook that writes the metrics of an invocation as one line of CloudWatch's Embedded Metric Format: no agent, no call. Every
 * combination of dimension values is a custom metric with a price; by default the dimensions are only `service` and the kind of the event.
 * The number of values is limited by the registrations. Of error codes, the first 64 are kept, and of each tag of a declared metric the first
 * 100; others count as `other`, and in the metric `FoldedValues`.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option, or a dimension that is not bounded
 * @example createApp({ observability: { metric: createEmfSink({ namespace: 'Shop', by: ['route'] }) } });
 */
export function createEmfSink(options: EmfSinkOptions = {}): (record: MetricRecord, invocation?: () => object) => void {
  const {
    write,
    clock,
    environment = process.env,
    namespace,
    dimensions,
    by,
    ...given
  } = EMF_SINK_OPTIONS.parse(options);
  const shape = new EntryMaker({
    service: given.service ?? environment.AWS_LAMBDA_FUNCTION_NAME ?? '',
    version: given.version ?? environment.AWS_LAMBDA_FUNCTION_VERSION ?? '',
    dimensions,
    by,
  });
  let isStarting = isColdStart(environment);
  const writeLines = (entries: readonly MetricEntry[]) => {
    for (const line of toLines(entries, namespace, clock.now().getTime())) guardHook(write, encodeLine(line));
  };
  const waiting = new WaitingEntries(writeLines);
  const sink = (record: MetricRecord, invocation?: () => object) => {
    const records = isStarting ? [record, COLD_START] : [record];
    isStarting = false;
    waiting.add(
      invocation?.(),
      records.flatMap((one) => shape.entriesOf(one)),
    );
  };
  const series = METRIC_GROUPS.map((group) => ({
    record: group.record,
    metrics: group.metrics.length,
    sets: shape.setsOf(group),
    failures: group.metrics.filter(({ alarmed }) => alarmed).length,
  }));
  return Object.defineProperty(sink, EMF, { value: { namespace, service: given.service, series } });
}

/** The entries of each running invocation, until its end. */
class WaitingEntries {
  readonly #write: (entries: readonly MetricEntry[]) => void;
  readonly #byInvocation = new WeakMap<object, MetricEntry[]>();

  constructor(write: (entries: readonly MetricEntry[]) => void) {
    this.#write = write;
  }

  add(invocation: object | undefined, entries: readonly MetricEntry[]): void {
    if (invocation === undefined || !isEndHolder(invocation)) {
      this.#write(entries);
      return;
    }
    const waiting = this.#byInvocation.get(invocation) ?? [];
    const isNew = waiting.length === 0;
    waiting.push(...entries);
    this.#byInvocation.set(invocation, waiting);
    const flush = () => this.#write(waiting.splice(0));
    const waits = !isNew || endOf(invocation).add({ end: flush });
    if (!waits || waiting.length >= MAX_WAITING) flush();
  }
}

/** The options that determine dimensions. */
interface EntryOptions {
  readonly service: string;
  readonly version: string;
  readonly dimensions: readonly (readonly string[])[] | undefined;
  readonly by: readonly MetricDetail[];
}

/** Makes the entry of a record: names, units, dimensions. */
class EntryMaker {
  readonly #options: EntryOptions;
  readonly #errorCodes = new BoundedValues(MAX_ERROR_CODES);
  readonly #tagValues = new BoundedValues(MAX_TAG_VALUES);

  constructor(options: EntryOptions) {
    this.#options = options;
  }

  /** The dimension sets of the metrics of a group. */
  setsOf({ tags, dimensions, by }: MetricGroup): readonly (readonly string[])[] {
    const { dimensions: own, by: details } = this.#options;
    const fitting = own?.filter((set) => set.every((name) => name === 'service' || tags.includes(name)));
    const sets = fitting === undefined ? [dimensions] : fitting.length > 0 ? fitting : [['service']];
    return by && details.includes(by.detail) ? [...sets, by.dimensions] : sets;
  }

  /** The entry of a record, and a second one if values were folded. */
  entriesOf(record: MetricRecord): readonly MetricEntry[] {
    const group = groupOf(record.name);
    return group ? [this.#ofGroup(record, group)] : this.#ofApplication(record);
  }

  #ofGroup(record: MetricRecord, group: MetricGroup): MetricEntry {
    const { service, version } = this.#options;
    const tags: Record<string, string> = { ...record.tags };
    if (tags.error_code !== undefined) tags.error_code = this.#errorCodes.fold('error_code', tags.error_code);
    const sets = this.setsOf(group);
    const points = pointsOf(record, group);
    const failures = points.filter(({ alarmed }) => alarmed);
    const alarmSets = [
      ...(sets.some((set) => set.length === 1 && set[0] === 'service') ? [] : [['service']]),
      ...(version === '' ? [] : [['service', 'version']]),
    ];
    const isAlarmed = failures.length > 0 && alarmSets.length > 0;
    return {
      parts: [{ sets, points }, ...(isAlarmed ? [{ sets: alarmSets, points: failures }] : [])],
      dimensions: dimensionsOf(isAlarmed ? [...sets, ...alarmSets] : sets, { ...tags, service, version }),
      properties: propertiesOf(record, group.properties, tags),
    };
  }

  #ofApplication(record: MetricRecord): readonly MetricEntry[] {
    const { name, unit = 'None', value } = record;
    const tags: Record<string, string> = { service: this.#options.service };
    let folded = 0;
    for (const [key, given] of Object.entries(record.tags)) {
      const kept = this.#tagValues.fold(`${name} ${key}`, given);
      if (kept !== given) folded += 1;
      tags[key] = kept;
    }
    const keys = Object.keys(record.tags);
    const sets = keys.length === 0 ? [['service']] : [['service'], ['service', ...keys]];
    const entry = {
      parts: [{ sets, points: [{ name, unit, value }] }],
      dimensions: dimensionsOf(sets, tags),
      properties: propertiesOf(record, [], tags),
    };
    return folded === 0 ? [entry] : [entry, ...this.entriesOf({ name: 'framework.folded', value: folded, tags: {} })];
  }
}

function dimensionsOf(
  sets: readonly (readonly string[])[],
  tags: Readonly<Record<string, string>>,
): ReadonlyMap<string, string> {
  return new Map([...new Set(sets.flat())].map((name) => [name, dimensionValue(tags[name])]));
}

const NOT_PRINTABLE = /[^\x20-\x7e]+/g;

/**
 * A valid dimension value for CloudWatch: printable ASCII, not empty and not too long.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_Dimension.html
 */
function dimensionValue(value: string | undefined): string {
  const text = sanitizeLogString(value ?? '').trim();
  const ascii = text.replace(NOT_PRINTABLE, encodeURIComponent);
  return ascii === '' ? 'none' : ascii.slice(0, MAX_DIMENSION_LENGTH);
}

/** Searchable in the log, never dimensions. */
function propertiesOf(
  record: MetricRecord,
  names: readonly string[],
  tags: Readonly<Record<string, string>>,
): readonly (readonly [string, string])[] {
  const ids = ['tenant_id', 'request_id'].map(
    (name) => [name, sanitizeLogString(record.properties?.[name] ?? '')] as const,
  );
  return [...names.map((name) => [name, tags[name] ?? ''] as const), ...ids].filter(([, value]) => value !== '');
}

function parseDimensions(sets: unknown): readonly (readonly string[])[] {
  if (!Array.isArray(sets) || sets.length === 0) throw invalidOption('dimensions', 'a list of dimension sets');
  return sets.map((set: unknown) => {
    if (!Array.isArray(set) || set.length === 0 || set.length > MAX_DIMENSIONS || new Set(set).size < set.length) {
      throw invalidOption('dimensions', `sets of 1 to ${MAX_DIMENSIONS} different names`);
    }
    const foreign: unknown = set.find((name) => !TAGS.includes(name));
    if (foreign === undefined) return Object.freeze([...set]) as readonly string[];
    const unbounded = UNBOUNDED_TAGS.includes(String(foreign)) ? `, never "${String(foreign)}"` : '';
    throw invalidOption('dimensions', `sets of service and the metrics' tags${unbounded}`);
  });
}
