import { EventSourceMapping, type EventSourceMappingOptions, type IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { checkDurableMapping } from './durable.js';
import { grantOn } from './grants.js';
import { functionBehind, invokedBy } from './targets.js';

/** Settings of all mappings of this package. */
type MappingSettings = Omit<EventSourceMappingOptions, 'reportBatchItemFailures'>;

/** The function of a mapping, and how it reads its source. */
export interface MappingTarget {
  readonly fn: IFunction;
  readonly ownAlias: boolean;
  /** Actions of the function role on the source, which needs an ARN. */
  readonly actions: readonly string[];
  /**
   * False for the sources whose mappings have no partial failures: Amazon MQ and DocumentDB. Lambda retries the whole batch.
   *
   * @see https://docs.aws.amazon.com/lambda/latest/api/API_CreateEventSourceMapping.html#lambda-CreateEventSourceMapping-request-FunctionResponseTypes
   */
  readonly reportsFailures?: boolean;
}

/**
 * Creates the mapping of a trigger, as its child `Resource`. AWS always reads the function's response if the source has partial failures: without
 * `ReportBatchItemFailures` it treats a partial failure as a success and deletes the failed records.
 */
export function makeMapping(
  trigger: Construct,
  { fn, ownAlias, actions, reportsFailures = true }: MappingTarget,
  settings: MappingSettings,
): EventSourceMapping {
  const target = invokedBy(trigger, fn, ownAlias);
  checkDurableMapping(trigger, functionBehind(fn), settings.batchSize);
  const { eventSourceArn } = settings;
  const granted = eventSourceArn === undefined ? undefined : grantOn(target, actions, [eventSourceArn]);
  const mapping = new EventSourceMapping(trigger, 'Resource', {
    ...settings,
    target,
    ...(reportsFailures && { reportBatchItemFailures: true }),
  });
  // AWS checks the permission when it creates the mapping.
  granted?.applyBefore(mapping);
  return mapping;
}
