import type { MaybePromise, Observability } from '@sallyport/core';
import { completeClock, type PolicyHook, randomIds, silentLogger } from '@sallyport/core';
import { type ContextRuntime, type ContextState, parseObservability } from '@sallyport/core/pipeline';
import type { Exchange } from './exchange.js';
import { RegistrationBook } from './registration.js';
import type { PipelineOptions, Tier } from './settings.js';

/** Lets a caller through or throws. Runs before every middleware. */
export type Gate = (exchange: Exchange) => MaybePromise<undefined>;

/** What all surfaces of one container share. */
export interface Kernel {
  readonly runtime: ContextRuntime;
  readonly tier: Tier;
  readonly maxRequestBytes: number;
  readonly maxResponseBytes: number;
  readonly policyHook: PolicyHook | undefined;
  readonly observability: Observability;
  /** Whether anybody wants to know how long a request took. */
  readonly timed: boolean;
  readonly gate: Gate;
  readonly book: RegistrationBook;
}

export interface KernelInit {
  readonly gate: Gate;
  readonly tenantOf: (state: ContextState) => string;
}

/** Stage names that start every trace, by tier. */
const TRACE_HEADS: Readonly<Record<Tier, readonly string[]>> = {
  p0: [],
  p1: ['request_id', 'recovery', 'logging'],
  p2: ['request_id', 'recovery', 'logging'],
};

/** The shared part of a container, from options that were checked. */
export function createKernel(options: PipelineOptions, { gate, tenantOf }: KernelInit): Kernel {
  const tier = options.tier ?? 'p2';
  const observability = parseObservability(tier === 'p2' ? options.observability : undefined);
  const runtime: ContextRuntime = {
    clock: completeClock(options.clock),
    ids: options.ids ?? randomIds,
    log: options.log ?? silentLogger,
    environment: options.environment ?? process.env,
    traceHead: TRACE_HEADS[tier],
    tenantOf,
    observability,
  };
  return {
    runtime,
    tier,
    maxRequestBytes: tier === 'p0' ? 0 : (options.limits?.maxRequestBytes ?? 0),
    maxResponseBytes: tier === 'p0' ? 0 : (options.limits?.maxResponseBytes ?? 0),
    policyHook: tier === 'p2' ? options.policyHook : undefined,
    observability,
    timed: observability.log !== undefined || observability.metric !== undefined || observability.span !== undefined,
    gate,
    book: new RegistrationBook(),
  };
}

/** Tenant of the open container, as the legacy contract has it: the header, then the query. */
export function legacyTenant(state: ContextState): string {
  const header = state.request.headerValues('x-tenant-id')[0]?.trim() ?? '';
  return header === '' ? (state.request.query.tenant?.[0]?.trim() ?? '') : header;
}
