import {
  type Clock,
  completeClock,
  type Environment,
  type IdGenerator,
  type Logger,
  type MaybePromise,
  randomIds,
} from '@sallyport/core';
import { type ContextRuntime, type ContextState, copyPrincipal, parseLog, reportHooks } from '@sallyport/core/pipeline';
import type { Exchange } from './exchange.js';
import { type Feature, membersOf } from './feature.js';
import { limits, observe, policy } from './features.js';
import { Pipeline, type PipelineParts, type Stage } from './run.js';
import { RegistrationBook } from '../routing/registration.js';
import type { PipelineOptions, Tier } from './options.js';
import { invoke, tracedInvoke } from './stages/invoke.js';

/** Lets a caller through or throws. Runs before every middleware. */
export type Gate = (exchange: Exchange) => MaybePromise<undefined>;

/** What all surfaces of one container share. */
export interface Kernel {
  readonly runtime: ContextRuntime;
  readonly tier: Tier;
  /** What every surface does beside routing, in this order. */
  readonly features: readonly Feature[];
  readonly gate: Gate;
  readonly book: RegistrationBook;
}

/** What tells the kinds of containers apart. */
export interface KernelInit extends Pick<ContextRuntime, 'tenantOf' | 'copyPrincipal'> {
  readonly gate: Gate;
}

/** What a kernel takes from its surroundings. */
export interface RuntimeOptions {
  readonly clock?: Clock;
  readonly ids?: IdGenerator;
  /** Gets failures, and what `ctx.log` writes; `false` for silence. Default: JSON lines on standard output, see the README. */
  readonly log?: Logger | false;
  /** Read instead of `process.env`. */
  readonly environment?: Environment;
}

/** Stage names that start the trace of every request above tier P0. */
const TRACE_HEAD = ['request_id', 'recovery', 'logging'];

/** The shared part of a container, from its features. */
export function assembleKernel(
  options: RuntimeOptions,
  tier: Tier,
  features: readonly Feature[],
  { gate, ...own }: KernelInit,
): Kernel {
  const environment = options.environment ?? process.env;
  const log = parseLog(options.log, environment);
  const [observability] = membersOf(features, 'observability');
  const runtime: ContextRuntime = {
    clock: completeClock(options.clock),
    ids: options.ids ?? randomIds,
    log,
    environment,
    traceHead: tier === 'p0' ? [] : TRACE_HEAD,
    ...own,
    observability: observability && reportHooks(observability, log),
  };
  return { runtime, tier, features, gate, book: new RegistrationBook() };
}

/** The shared part of a container, from options that were checked. */
export function createKernel(options: PipelineOptions, init: KernelInit): Kernel {
  const { tier = 'p2', limits: sizes, policyHook, observability = {} } = options;
  const features: Feature[] = [];
  if (sizes && tier !== 'p0') features.push(limits(sizes));
  if (tier === 'p2') features.push(observe(observability));
  if (policyHook && tier === 'p2') features.push(policy(policyHook));
  return assembleKernel(options, tier, features, { copyPrincipal, ...init });
}

/** What a surface brings to its pipeline: its stages up to the match of the route, and how it answers. */
export interface SurfaceStages extends Pick<PipelineParts, 'renderError'> {
  /** Before the features'. */
  readonly first?: Stage | undefined;
  /** Behind the features'. */
  readonly match: readonly Stage[];
  readonly decorate?: PipelineParts['decorate'];
}

/** The pipeline of a surface: its own stages between those of the features, then the gate and the operation. */
export function createPipeline(
  { tier, gate }: Kernel,
  features: readonly Feature[],
  { first, match, decorate = [], renderError }: SurfaceStages,
): Pipeline {
  return new Pipeline({
    stages: [
      ...(first ? [first] : []),
      ...membersOf(features, 'entry'),
      ...match,
      ...membersOf(features, 'routed'),
      gate,
      tier === 'p0' ? invoke : tracedInvoke,
    ],
    decorate: [...decorate, ...membersOf(features, 'decorate')],
    renderError,
    maxResponseBytes: membersOf(features, 'maxResponseBytes')[0] ?? 0,
    timed: membersOf(features, 'timed').includes(true),
    observe: membersOf(features, 'observe')[0],
  });
}

/** Tenant of the open container, as the legacy contract has it: the header, then the query. */
export function legacyTenant(state: ContextState): string {
  const header = state.request.headerValues('x-tenant-id')[0]?.trim() ?? '';
  return header === '' ? (state.request.query.tenant?.[0]?.trim() ?? '') : header;
}
