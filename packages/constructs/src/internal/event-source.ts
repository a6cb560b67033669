import { EventSourceMapping, type EventSourceMappingOptions, type IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { grantOn } from './grants.js';
import { invokedBy } from './targets.js';

/** Settings of all mappings of this package. */
export interface MappingSettings extends Omit<EventSourceMappingOptions, 'reportBatchItemFailures'> {
  readonly eventSourceArn: string;
}

/**
 * Creates the mapping of a trigger, as its child `Resource`. AWS always reads the function's response: without
 * `ReportBatchItemFailures` it treats a partial failure as a success and deletes the failed records.
 */
export function makeMapping(
  trigger: Construct,
  {
    fn,
    ownAlias,
    actions,
  }: { readonly fn: IFunction; readonly ownAlias: boolean; readonly actions: readonly string[] },
  settings: MappingSettings,
): EventSourceMapping {
  const target = invokedBy(trigger, fn, ownAlias);
  const granted = grantOn(target, actions, [settings.eventSourceArn]);
  const mapping = new EventSourceMapping(trigger, 'Resource', { ...settings, target, reportBatchItemFailures: true });
  // AWS checks the permission when it creates the mapping.
  granted.applyBefore(mapping);
  return mapping;
}
