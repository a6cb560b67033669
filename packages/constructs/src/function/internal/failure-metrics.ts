import { type IMetric, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Duration } from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';
import { misuse } from '../../internal/misuse.js';
import { functionBehind } from '../../internal/targets.js';
import type { Inventory } from '../../wiring/inventory.js';

/** A metric of failed requests or records. */
export interface FailureMetric {
  readonly id: 'RequestErrors' | 'BatchFailures';
  readonly metric: IMetric;
}

/** Triggers whose failed records do not fail the invocation. */
const BATCHES: ReadonlySet<string> = new Set(['queue', 'table-stream', 'stream', 'kafka']);

/** Short, because a canary shifts all invocations after some minutes. */
const PERIOD = Duration.minutes(1);

/**
 * The metrics of failed requests and records, as averages: the fraction of failed requests, and failed records for each batch. Lambda counts neither as errors,
 * because the handler answers 500 or reports the records.
 *
 * @param version the version whose requests are counted; all by default
 * @throws ConstructError `constructs.invalid_prop` for an inventory without a sink of metrics
 */
export function failureMetrics(
  at: IConstruct,
  fn: IFunction,
  { routes, triggers, deployment }: Inventory,
  version?: string,
): readonly FailureMetric[] {
  const hasBatches = triggers.some(({ kind }) => BATCHES.has(kind));
  const ids = [
    ...(routes.length > 0 ? (['RequestErrors'] as const) : []),
    ...(hasBatches ? (['BatchFailures'] as const) : []),
  ];
  const metrics = deployment?.metrics;
  if (ids.length > 0 && metrics === undefined) {
    throw misuse(at, {
      what: 'inventory of an application that writes no metrics, so no alarm sees failed requests and records',
      expected: 'observability: { metric: createEmfSink() } in the application',
    });
  }
  return ids.map((id) => ({
    id,
    metric: new Metric({
      namespace: metrics?.namespace ?? '',
      metricName: id,
      dimensionsMap: {
        service: metrics?.service ?? functionBehind(fn).functionName,
        ...(version !== undefined && { version }),
      },
      statistic: Stats.AVERAGE,
      period: PERIOD,
    }),
  }));
}
