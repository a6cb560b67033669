import type { Environment, MetricRecord } from '@sallyport/core';
import {
  BoundedValues,
  COLD_START,
  type DeliveryHolder,
  deliveriesOf,
  endOf,
  groupOf,
  isColdStart,
  isEndHolder,
  type MetricDetail,
  pointsOf,
} from '@sallyport/core/internal';
import { defineOptions, integer, list, object, oneOf, string } from '@sallyport/core/options';
import { METRICS, toMetrics } from '../encoding/internal/metrics.js';
import { toOtlpJson } from '../encoding/json.js';
import { encode } from '../encoding/protobuf.js';
import { type OtlpOptions, OtlpSender } from '../export/sender.js';
import { aggregate, type Measured } from './internal/aggregate.js';

/** Options of {@link otlpMetrics}; an unknown key is rejected. */
export interface OtlpMetricsOptions extends OtlpOptions {
  /** The attribute `service.name`; default: `OTEL_SERVICE_NAME`, else `AWS_LAMBDA_FUNCTION_NAME`. */
  readonly service?: string | undefined;
  /**
   * Adds attributes: `route` (method and route of requests), `source` (sources of events), `tool` (tools, resources and prompts), `policy`
   * (policies of rate limits). Default: only the kind of the event.
   */
  readonly by?: readonly ('route' | 'source' | 'tool' | 'policy')[] | undefined;
  /** Environment variables; default: `process.env`. */
  readonly environment?: Environment | undefined;
}

/** Validators and defaults for {@link OtlpMetricsOptions}. The sender checks address, headers and protocol. */
export const OTLP_METRICS_OPTIONS = defineOptions<OtlpMetricsOptions>()({
  endpoint: string,
  headers: object<Readonly<Record<string, string>>>(),
  protocol: oneOf('http/protobuf', 'http/json'),
  exportTimeoutMs: integer(1, 30_000, 'milliseconds').default(50),
  service: string,
  by: list(oneOf('route', 'source', 'tool', 'policy'), 'a list of "route", "source", "tool" and "policy"').default([]),
  environment: object<Environment>(),
});

const SIGNAL = { path: '/v1/metrics', variable: 'METRICS' };
const MAX_ERROR_CODES = 64;
const MAX_TAG_VALUES = 100;
/** Values of one invocation; more are sent earlier. */
const MAX_WAITING = 2000;

/**
 * A metric hook that sends the metrics of each invocation to an OpenTelemetry collector or a vendor, in one request with delta temporality:
 * counts as sums, other units as histograms. The answer of the invocation waits at most `exportTimeoutMs`. Values that are not accepted in this
 * time are dropped, because a second request could count them twice; the next request counts them in `DroppedPoints`.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option, or a missing or malformed address, protocol or header
 * @example new SecureApp({ principalResolver, observability: { metric: otlpMetrics({ service: 'orders', by: ['route'] }) } });
 */
export function otlpMetrics(
  options: OtlpMetricsOptions = {},
): (record: MetricRecord, invocation?: () => object) => void {
  const { service, by, environment = process.env, ...sender } = OTLP_METRICS_OPTIONS.parse(options);
  const name = service ?? environment.OTEL_SERVICE_NAME ?? environment.AWS_LAMBDA_FUNCTION_NAME ?? '';
  const exporter = new MetricsExporter(new OtlpSender(sender, SIGNAL, environment), name);
  const values = new RecordValues(by);
  let isStarting = isColdStart(environment);
  return (record, invocation) => {
    const records = isStarting ? [record, COLD_START] : [record];
    isStarting = false;
    exporter.add(
      invocation?.(),
      records.flatMap((one) => values.of(one)),
    );
  };
}

/** Reads the values and the attributes of records. */
class RecordValues {
  readonly #by: readonly MetricDetail[];
  readonly #errorCodes = new BoundedValues(MAX_ERROR_CODES);
  readonly #tagValues = new BoundedValues(MAX_TAG_VALUES);

  constructor(by: readonly MetricDetail[]) {
    this.#by = by;
  }

  of(record: MetricRecord): readonly Measured[] {
    const group = groupOf(record.name);
    if (!group) return this.#ofApplication(record);
    const detailed = group.by && this.#by.includes(group.by.detail) ? group.by.dimensions : [];
    const names = new Set([...group.dimensions, ...detailed].filter((name) => name !== 'service'));
    const attributes = Object.fromEntries([...names].map((name) => [name, record.tags[name] ?? '']));
    const { error_code: code } = record.tags;
    const failure = code ? { 'error.type': this.#errorCodes.fold('error_code', code) } : {};
    return pointsOf(record, group).map((point) => ({
      ...point,
      attributes: point.alarmed && point.value > 0 ? { ...attributes, ...failure } : attributes,
    }));
  }

  #ofApplication({ name, unit = 'None', value, tags }: MetricRecord): readonly Measured[] {
    let folded = 0;
    const attributes = Object.fromEntries(
      Object.entries(tags).map(([key, given]) => {
        const kept = this.#tagValues.fold(`${name} ${key}`, given);
        if (kept !== given) folded += 1;
        return [key, kept];
      }),
    );
    const own = { name, unit, value, attributes };
    return folded === 0 ? [own] : [own, { name: 'FoldedValues', unit: 'Count', value: folded, attributes: {} }];
  }
}

/** True for the invocation of a request or of a batch. */
function isHolder(invocation: object): invocation is DeliveryHolder {
  return isEndHolder(invocation) && 'kept' in invocation;
}

/** Sends the values of an invocation at its end. */
class MetricsExporter {
  readonly #sender: OtlpSender;
  readonly #resource: { readonly attributes: Readonly<Record<string, string>> };
  readonly #byInvocation = new WeakMap<object, { values: Measured[]; startMs: number }>();
  #dropped = 0;

  constructor(sender: OtlpSender, service: string) {
    this.#sender = sender;
    this.#resource = { attributes: service === '' ? {} : { 'service.name': service } };
  }

  add(invocation: object | undefined, values: readonly Measured[]): void {
    if (invocation === undefined || !isHolder(invocation)) {
      const nowMs = Date.now();
      void this.#send(values, nowMs, nowMs);
      return;
    }
    const holder = invocation;
    const nowMs = holder.clock.now().getTime();
    const waiting = this.#byInvocation.get(holder) ?? { values: [], startMs: nowMs };
    const isNew = waiting.values.length === 0;
    if (isNew) waiting.startMs = nowMs;
    waiting.values.push(...values);
    this.#byInvocation.set(holder, waiting);
    const flush = () => {
      const sent = this.#send(waiting.values.splice(0), waiting.startMs, holder.clock.now().getTime());
      deliveriesOf(holder).keep(sent, this.#sender.timeoutMs);
    };
    const waits = !isNew || endOf(holder).add({ end: flush });
    if (!waits || waiting.values.length >= MAX_WAITING) flush();
  }

  async #send(values: readonly Measured[], startMs: number, endMs: number): Promise<void> {
    if (values.length === 0) return;
    const dropped = this.#dropped;
    this.#dropped = 0;
    const lost: Measured[] =
      dropped === 0 ? [] : [{ name: 'DroppedPoints', unit: 'Count', value: dropped, attributes: {} }];
    const metrics = aggregate([...values, ...lost], startMs, endMs);
    const data = toMetrics(this.#resource, { name: '@sallyport/otel' }, metrics);
    const body = this.#sender.protocol === 'http/json' ? toOtlpJson(data) : encode(METRICS, data);
    const sent = await this.#sender.send(body);
    this.#dropped += sent.outcome === 'accepted' ? sent.rejected : dropped + values.length;
  }
}
