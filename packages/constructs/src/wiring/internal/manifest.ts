import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { CfnRule, Rule } from 'aws-cdk-lib/aws-events';
import {
  type CfnEventSourceMapping,
  CfnFunction,
  type EventSourceMapping,
  type IFunction,
} from 'aws-cdk-lib/aws-lambda';
import { type CfnQueue, type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { App, attachCustomSynthesis, Stack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { DoorRoute, IHttpDoor } from '../../http/door.js';
import { sourceOf } from '../../internal/entries.js';
import type { EventSelector } from '../inventory.js';

/** A source that a wiring attached. */
export interface ManifestSource {
  readonly kind: 'queue' | 'tableStream' | 'kinesis' | 'topic' | 'eventBus' | 'schedule';
  readonly name?: string;
  readonly selector?: EventSelector;
  readonly mapping?: EventSourceMapping;
  readonly queue?: IQueue;
  readonly rule?: Rule;
}

/** A door that a wiring attached. */
export interface ManifestDoor {
  readonly kind: IHttpDoor['doorKind'] | 'graphql' | 'websocket';
  readonly streams?: boolean;
  readonly routes?: readonly DoorRoute[];
  readonly door?: IHttpDoor;
}

/** What one wiring attached to its function. */
export interface ManifestFacts {
  readonly fn: IFunction;
  readonly sources: readonly ManifestSource[];
  readonly doors: readonly ManifestDoor[];
}

const writers = new WeakMap<object, (() => ManifestFacts)[]>();

/** The name of the file in the cloud assembly. */
export const MANIFEST_FILE = 'sallyport.json';

/** Writes the manifest of all wirings of an app into its cloud assembly, at synth. */
export function writeManifests(wiring: Construct, facts: () => ManifestFacts): void {
  const { root } = wiring.node;
  const all = writers.get(root) ?? [];
  writers.set(root, all);
  all.push(facts);
  attachCustomSynthesis(wiring, {
    onSynthesize({ outdir: own }) {
      // One file for the whole app, stacks of nested stages included. Each wiring writes the same text.
      const outdir = App.isApp(root) ? root.outdir : own;
      if (!existsSync(outdir)) mkdirSync(outdir, { recursive: true });
      const functions = all.map((one) => describeFunction(one()));
      writeFileSync(join(outdir, MANIFEST_FILE), `${JSON.stringify({ version: 1, functions }, null, 2)}\n`);
    },
  });
}

function describeFunction({ fn, sources, doors }: ManifestFacts): object {
  const resource = fn.node.defaultChild;
  const stack = Stack.of(fn);
  const cfn = CfnFunction.isCfnFunction(resource) ? resource : undefined;
  const entry = sourceOf(fn);
  return {
    id: fn.node.path,
    ...(entry !== undefined && { entry: relative(process.cwd(), entry) }),
    ...(cfn && {
      handler: cfn.handler,
      runtime: cfn.runtime,
      memoryMb: cfn.memorySize,
      timeoutSeconds: cfn.timeout,
      ...(cfn.capacityProviderConfig !== undefined && { managedInstances: true }),
      environment: literalsOf(stack.resolve(cfn.environment)),
    }),
    sources: sources.map(describeSource),
    doors: doors.map(({ kind, streams, routes }) => ({
      kind,
      ...(streams !== undefined && { streams }),
      ...(routes && { routes: routes.map(({ method, path }) => `${method} ${path}`) }),
    })),
  };
}

/** Variables whose values are known before the deployment. */
function literalsOf(environment: unknown): Readonly<Record<string, string>> {
  const { variables = {} } = (environment ?? {}) as { readonly variables?: Readonly<Record<string, unknown>> };
  const literals = Object.entries(variables).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return Object.fromEntries(literals.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function describeSource({ kind, name, selector, mapping, queue, rule }: ManifestSource): object {
  return {
    kind,
    ...(name !== undefined && { name }),
    ...(selector && { selector }),
    ...(mapping && { limits: limitsOf(mapping) }),
    ...(queue instanceof Queue && { queue: limitsOfQueue(queue) }),
    ...(rule && kind === 'schedule' && { schedule: (rule.node.defaultChild as CfnRule).scheduleExpression }),
  };
}

function limitsOf(mapping: EventSourceMapping): object {
  const cfn = mapping.node.defaultChild as CfnEventSourceMapping;
  const { maximumConcurrency } = (cfn.scalingConfig ?? {}) as { readonly maximumConcurrency?: number };
  return withoutUndefined({
    batchSize: cfn.batchSize,
    windowSeconds: cfn.maximumBatchingWindowInSeconds,
    concurrency: maximumConcurrency,
    startingPosition: cfn.startingPosition,
    bisect: cfn.bisectBatchOnFunctionError,
    retryAttempts: cfn.maximumRetryAttempts,
    maxRecordAgeSeconds: cfn.maximumRecordAgeInSeconds,
    parallelization: cfn.parallelizationFactor,
  });
}

function limitsOfQueue(queue: Queue): object {
  const cfn = queue.node.defaultChild as CfnQueue;
  const { maxReceiveCount } = (cfn.redrivePolicy ?? {}) as { readonly maxReceiveCount?: number };
  return withoutUndefined({ fifo: queue.fifo, visibilitySeconds: cfn.visibilityTimeout ?? 30, maxReceiveCount });
}

function withoutUndefined(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
