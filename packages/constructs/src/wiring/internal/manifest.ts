import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { CfnRule, Rule } from 'aws-cdk-lib/aws-events';
import {
  type CfnEventSourceMapping,
  CfnFunction,
  type EventSourceMapping,
  type IFunction,
} from 'aws-cdk-lib/aws-lambda';
import type { NotificationKeyFilter } from 'aws-cdk-lib/aws-s3';
import type { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import type { CfnSubscription, ITopic, Subscription } from 'aws-cdk-lib/aws-sns';
import { type CfnQueue, type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { App, attachCustomSynthesis, Stack, Token } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { sourceOf } from '../../internal/entries.js';
import { sharedRegistry } from '../../internal/shared.js';
import type { EventSelector } from '../inventory.js';
import { describeDoor, type ManifestDoor } from './manifest-doors.js';
import type { NamedSource } from './registrations.js';

/** A source that a wiring attached. */
export interface ManifestSource {
  /** As the inventory names it; `schedule` for a rule with a schedule, `scheduler` for a schedule of EventBridge Scheduler. */
  readonly kind: NamedSource | 'event-bus' | 'schedule' | 'scheduler';
  readonly name?: string;
  readonly selector?: EventSelector;
  readonly mapping?: EventSourceMapping;
  readonly queue?: IQueue;
  /** Filters for the keys of a bucket's objects. */
  readonly filters?: readonly NotificationKeyFilter[] | undefined;
  readonly rule?: Rule;
  /** The schedule of EventBridge Scheduler. */
  readonly schedule?: CfnSchedule;
  readonly subscription?: Subscription;
  readonly topic?: ITopic;
}

/** The attachments of one wiring. */
export interface ManifestFacts {
  readonly fn: IFunction;
  readonly sources: readonly ManifestSource[];
  readonly doors: readonly ManifestDoor[];
}

const writers = sharedRegistry<object, (() => ManifestFacts)[]>('manifests/1');

/** The name of the file in the cloud assembly. */
const MANIFEST_FILE = 'sallyport.json';

/** Writes the manifest of all wirings of an app into its cloud assembly, at synth. */
export function writeManifests(wiring: Construct, facts: () => ManifestFacts): void {
  const { root } = wiring.node;
  const all = writers.get(root) ?? [];
  writers.set(root, all);
  all.push(facts);
  attachCustomSynthesis(wiring, {
    onSynthesize({ outdir: own }) {
      // One file for the whole app, including stacks of nested stages. Each wiring writes the same content.
      const outdir = App.isApp(root) ? root.outdir : own;
      if (!existsSync(outdir)) mkdirSync(outdir, { recursive: true });
      const functions = all.map((one) => describeFunction(one()));
      writeFileSync(join(outdir, MANIFEST_FILE), `${JSON.stringify({ version: 1, functions }, null, 2)}\n`);
    },
  });
}

function describeFunction({ fn, sources, doors }: ManifestFacts): object {
  const resource = fn.node.defaultChild;
  const cfn = CfnFunction.isCfnFunction(resource) ? resource : undefined;
  const entry = sourceOf(fn)?.entry;
  return {
    path: fn.node.path.replace(/\/Resource$/, ''),
    ...(entry !== undefined && { entry: relative(process.cwd(), entry).replaceAll('\\', '/') }),
    ...(cfn && {
      ...literals({
        // Only the export: the manifest names the file of the bundle.
        handler: cfn.handler?.replace(/^.*\./, ''),
        functionName: cfn.functionName,
        runtime: cfn.runtime,
        memoryMb: cfn.memorySize,
        timeoutMs: milliseconds(cfn.timeout),
        durableSeconds: durableSecondsOf(cfn),
      }),
      ...(cfn.capacityProviderConfig !== undefined && { managedInstances: true }),
      environment: variables(Stack.of(fn).resolve(cfn.environment)),
    }),
    sources: sources.map(describeSource),
    doors: doors.map(describeDoor),
  };
}

/** The time limit of an execution; `undefined` for a function that is not durable. */
function durableSecondsOf({ durableConfig }: CfnFunction): number | undefined {
  const { executionTimeout } = (durableConfig ?? {}) as Partial<CfnFunction.DurableConfigProperty>;
  return executionTimeout;
}

/** Variables whose values are known before the deployment. */
function variables(environment: unknown): object {
  const { variables: all = {} } = (environment ?? {}) as { readonly variables?: Readonly<Record<string, unknown>> };
  const known = Object.entries(all).filter(([, value]) => typeof value === 'string');
  return Object.fromEntries(known.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function describeSource(source: ManifestSource): object {
  const { kind, name, selector, mapping, queue, filters, rule, schedule, subscription } = source;
  return {
    kind,
    ...(name !== undefined && { name }),
    ...(selector && { selector }),
    ...(rule && ruleOf(rule)),
    ...(schedule &&
      literals({ expression: schedule.scheduleExpression, timeZone: schedule.scheduleExpressionTimezone })),
    ...(filters && { filters }),
    ...(mapping && deliveryOf(mapping)),
    settings: literals(
      mapping ? mappingSettings(mapping, queue) : { onFailure: true, ...(subscription && policyOf(subscription)) },
    ),
  };
}

/** The collection of batches by AWS. The engines of `@sallyport/testkit/engines` do not simulate it, so it is not part of their settings. */
function deliveryOf(mapping: EventSourceMapping): object {
  const { maximumBatchingWindowInSeconds, parallelizationFactor } = mapping.node.defaultChild as CfnEventSourceMapping;
  const delivery = literals({
    batchingWindowMs: milliseconds(maximumBatchingWindowInSeconds),
    parallelizationFactor: parallelizationFactor === 1 ? undefined : parallelizationFactor,
  });
  return Object.keys(delivery).length === 0 ? {} : { delivery };
}

/** The expression or the pattern of a rule. */
function ruleOf(rule: Rule): object {
  const { scheduleExpression, eventPattern } = rule.node.defaultChild as CfnRule;
  return literals({ expression: scheduleExpression, pattern: knownPart(Stack.of(rule).resolve(eventPattern)) });
}

function policyOf(subscription: Subscription): Readonly<Record<string, unknown>> {
  const { filterPolicy, filterPolicyScope } = subscription.node.defaultChild as CfnSubscription;
  return { filterPolicy: knownPart(Stack.of(subscription).resolve(filterPolicy)), filterPolicyScope };
}

/**
 * A pattern without the members whose values are known only after deployment; `undefined` if no member remains. The remaining pattern
 * matches more events than the whole pattern.
 */
function knownPart(pattern: unknown): unknown {
  if (Array.isArray(pattern)) return hasReference(pattern) ? undefined : pattern;
  if (typeof pattern !== 'object' || pattern === null) return pattern;
  const members = Object.entries(pattern).map(([name, value]) => [name, knownPart(value)] as const);
  const known = members.filter(([, value]) => value !== undefined);
  return known.length === 0 ? undefined : Object.fromEntries(known);
}

function hasReference(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, member]) => /^(Ref|Fn::.+)$/.test(name) || hasReference(member));
}

/** The limits of a mapping and its queue, as the engines of `@sallyport/testkit/engines` name them. */
function mappingSettings(mapping: EventSourceMapping, queue: IQueue | undefined): Readonly<Record<string, unknown>> {
  const cfn = mapping.node.defaultChild as CfnEventSourceMapping;
  const common = {
    batchSize: cfn.batchSize,
    reportBatchItemFailures: cfn.functionResponseTypes === undefined ? undefined : true,
    filters: filterPatterns(mapping),
  };
  if (cfn.startingPosition !== undefined) {
    return {
      ...common,
      maximumRetryAttempts: cfn.maximumRetryAttempts,
      maxRecordAgeMs: milliseconds(cfn.maximumRecordAgeInSeconds),
      bisect: cfn.bisectBatchOnFunctionError,
      onFailure: cfn.destinationConfig === undefined ? undefined : true,
    };
  }
  const { maximumConcurrency } = (cfn.scalingConfig ?? {}) as { readonly maximumConcurrency?: number };
  const queueOnly = {
    invocations: maximumConcurrency,
    maximumBatchingWindowMs: milliseconds(cfn.maximumBatchingWindowInSeconds || undefined),
  };
  return { ...common, ...queueOnly, ...(queue instanceof Queue && queueSettings(queue)) };
}

/** The filter patterns as objects; `undefined` for a mapping without a filter. */
function filterPatterns(mapping: EventSourceMapping): readonly unknown[] | undefined {
  const { filterCriteria } = mapping.node.defaultChild as CfnEventSourceMapping;
  const criteria = Stack.of(mapping).resolve(filterCriteria) as
    | CfnEventSourceMapping.FilterCriteriaProperty
    | undefined;
  const patterns = (criteria?.filters ?? []) as readonly CfnEventSourceMapping.FilterProperty[];
  return patterns.length === 0 ? undefined : patterns.map(({ pattern = '{}' }) => JSON.parse(pattern) as unknown);
}

function queueSettings(queue: Queue): Readonly<Record<string, unknown>> {
  const cfn = queue.node.defaultChild as CfnQueue;
  const { maxReceiveCount } = (cfn.redrivePolicy ?? {}) as { readonly maxReceiveCount?: number };
  return {
    visibilityTimeoutMs: milliseconds(cfn.visibilityTimeout ?? 30),
    maxReceiveCount,
    deadLetter: maxReceiveCount !== undefined,
  };
}

function milliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined || Token.isUnresolved(seconds) ? undefined : seconds * 1000;
}

/** The values that are known before the deployment. */
function literals(values: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined && !Token.isUnresolved(value)),
  );
}
