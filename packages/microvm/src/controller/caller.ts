import type { Context, Observability } from '@sallyport/core';
import {
  type ContextState,
  describeCopies,
  otherCopy,
  registerCopy,
  remainingMs,
  stateOf,
} from '@sallyport/core/internal';
import { defineOptions, func, text } from '@sallyport/core/options';
import { controllerIncomplete, MicrovmError } from '../errors.js';
import { isForbiddenText } from '../internal/forbidden.js';
import { VERSION } from '../internal/version.js';
import type { MicrovmBinding } from '../registry/registry.js';

registerCopy('@sallyport/microvm', VERSION, new Error());

/** Reads tenant and namespace of an authenticated request, instead of the defaults. */
export type MicrovmBindingOf = (ctx: Context) => Partial<MicrovmBinding>;

declare const CALLER: unique symbol;

/** An authenticated caller of the controller. Only `toMicrovmCaller` and `internalCaller` create callers. */
export interface MicrovmCaller extends MicrovmBinding {
  /** Id of the caller. */
  readonly identity: string;
  /** The request that the call belongs to. */
  readonly requestId: string;
  /** Exists in the type only, so that an object literal is not assignable. */
  readonly [CALLER]: true;
}

/** Data of a caller. */
export interface CallerFacts extends MicrovmBinding {
  readonly identity: string;
  readonly requestId: string;
  readonly signal: AbortSignal | undefined;
  /** Remaining milliseconds of the invocation; `Infinity` if unknown. */
  readonly remainingMs: () => number;
  readonly observability: Observability | undefined;
}

const MAX_NAME_BYTES = 128;
const facts = new WeakMap<object, CallerFacts>();
/** Marks callers, so that the error can report a caller created by another copy of this package. It grants nothing. */
const MARK = Symbol.for('sallyport.microvm.caller/1');

/** Options of {@link toMicrovmCaller}. */
export interface MicrovmCallerOptions {
  /** Reads tenant and namespace. Default: the tenant of the invocation or the principal, and the principal's claim `namespace`. */
  readonly binding?: MicrovmBindingOf;
}

/** Validators and defaults for {@link MicrovmCallerOptions}. */
const CALLER_OPTIONS = defineOptions<MicrovmCallerOptions>()(
  { binding: func<MicrovmBindingOf>() },
  { fail: controllerIncomplete },
);

/**
 * Returns the caller of an authenticated request. The tenant comes from the invocation, else from the principal, never from a
 * header.
 *
 * @throws MicrovmError `microvm.unauthenticated_controller` if the request has no authenticated principal; `microvm.binding_missing`
 *   without a tenant or namespace; `microvm.tenant_binding_violation` if `binding` contradicts the invocation's tenant
 * @example const session = await controller.run(toMicrovmCaller(ctx), { metadata: { purpose: 'notebook' } });
 */
export function toMicrovmCaller(ctx: Context, options: MicrovmCallerOptions = {}): MicrovmCaller {
  const { binding } = CALLER_OPTIONS.parse(options);
  const state = stateOf(ctx);
  const { principal } = state;
  if (!principal) throw unauthenticated();
  const runtimeTenant = state.lambdaContext?.tenantId?.trim() ?? '';
  const bound = binding
    ? binding(ctx)
    : { tenantId: runtimeTenant || principal.tenantId, namespace: principal.claims?.namespace };
  const tenantId = nameOf(bound?.tenantId);
  if (runtimeTenant !== '' && tenantId !== runtimeTenant) throw bindingViolation();
  const requestId = state.requestId || ctx.newId();
  if (isForbiddenText(requestId)) throw new MicrovmError('microvm.forbidden_field', 'the request id is not allowed');
  return seal({
    identity: principal.identity,
    tenantId,
    namespace: nameOf(bound?.namespace),
    requestId,
    signal: ctx.signal,
    remainingMs: remainingOf(state),
    observability: state.runtime.observability,
  });
}

/** Remaining milliseconds where the end of the invocation is unknown. */
export const UNLIMITED = (): number => Number.POSITIVE_INFINITY;

/** Remaining milliseconds of the invocation: unlimited without a Lambda context, at least 0 with a context. */
function remainingOf({ lambdaContext }: ContextState): () => number {
  return typeof lambdaContext?.getRemainingTimeInMillis === 'function' ? () => remainingMs(lambdaContext) : UNLIMITED;
}

/** A caller that acts without a request: a job, a schedule. */
export interface InternalCallerInput extends MicrovmBinding {
  /** Id of the caller. */
  readonly identity: string;
  /** The request or run that the calls belong to. Default `internal`. */
  readonly requestId?: string;
}

/** Validators and defaults for {@link InternalCallerInput}. */
const INTERNAL_CALLER = defineOptions<InternalCallerInput>()(
  {
    identity: text().required(),
    tenantId: text().required(),
    namespace: text().required(),
    requestId: text().default('internal'),
  },
  { fail: controllerIncomplete },
);

/**
 * Returns a caller for trusted code that serves no request. Code that can call this function can act for every tenant.
 *
 * @throws MicrovmError `microvm.controller_incomplete` for a wrong member; `microvm.binding_missing` for a name over 128 bytes
 * @example const caller = internalCaller({ identity: 'nightly', tenantId: 't1', namespace: 'default' });
 */
export function internalCaller(input: InternalCallerInput): MicrovmCaller {
  const { identity, tenantId, namespace, requestId } = INTERNAL_CALLER.parse(input);
  const names = { tenantId: nameOf(tenantId), namespace: nameOf(namespace) };
  return seal({ identity, ...names, requestId, signal: undefined, remainingMs: UNLIMITED, observability: undefined });
}

/** @throws MicrovmError `microvm.unauthenticated_controller` for an object that this package did not create */
export function factsOf(caller: MicrovmCaller): CallerFacts {
  const known = typeof caller === 'object' && caller !== null ? facts.get(caller) : undefined;
  if (known !== undefined) return known;
  // A proxy of a caller, or an object that inherits from it, has the mark too. It is a caller of another copy only if two copies are loaded.
  const isMarked = typeof caller === 'object' && caller !== null && MARK in caller;
  if (isMarked && describeCopies('@sallyport/microvm') !== '') throw otherCopy('@sallyport/microvm', 'the caller');
  throw unauthenticated();
}

function seal(known: CallerFacts): MicrovmCaller {
  const { identity, tenantId, namespace, requestId } = known;
  const names = Object.defineProperty({ identity, tenantId, namespace, requestId }, MARK, { value: true });
  const caller = Object.freeze(names) as unknown as MicrovmCaller;
  facts.set(caller, known);
  return caller;
}

function nameOf(value: unknown): string {
  const isText = typeof value === 'string' && value.trim() !== '' && Buffer.byteLength(value) <= MAX_NAME_BYTES;
  // Writing to the table replaces a lone surrogate, so two names would become equal.
  if (!isText || !value.isWellFormed())
    throw new MicrovmError('microvm.binding_missing', 'tenant and namespace are required');
  return value;
}

function unauthenticated(): MicrovmError {
  return new MicrovmError('microvm.unauthenticated_controller', 'unauthorized');
}

/** The request contains another tenant, namespace or caller than the authenticated caller. */
export function bindingViolation(): MicrovmError {
  return new MicrovmError('microvm.tenant_binding_violation', 'forbidden');
}
