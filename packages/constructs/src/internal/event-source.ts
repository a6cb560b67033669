import { EventSourceMapping, type EventSourceMappingOptions, type IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { grantOn } from './grants.js';
import { invokedBy } from './targets.js';

/** What all mappings of this package have in common. */
export interface MappingSettings extends Omit<EventSourceMappingOptions, 'reportBatchItemFailures'> {
  readonly eventSourceArn: string;
}

/**
 * Makes the mapping of a trigger, as its child `Resource`. The answer of the function is always read: without
 * `ReportBatchItemFailures` AWS takes a partial failure for success and deletes what failed.
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
  // AWS checks the permission when it makes the mapping.
  granted.applyBefore(mapping);
  return mapping;
}
