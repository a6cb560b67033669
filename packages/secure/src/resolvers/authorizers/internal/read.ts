import { type Context, FrameworkError, isLambda } from '@sallyport/core';
import { type ContextRuntime, guardHook, stateOf } from '@sallyport/core/pipeline';
import { ownOf } from '../../../principal.js';

export type Fields = Readonly<Record<string, unknown>>;

/**
 * A member of the event where AWS made it. The event of a direct or agent invocation is what its caller wrote, with any claims
 * in it, so nothing is read from it.
 */
export function eventMember(ctx: Context, key: string): unknown {
  if (ctx.invocationProvenance !== 'provider') return undefined;
  warnOfUnnamedDoors(ctx);
  return ownOf(ctx.event, key);
}

/** By the container's logger: a surface makes a runtime for each of its contexts. */
const warned = new WeakSet<ContextRuntime['log']>();

/**
 * One line for each execution environment: services such as IoT rules invoke a function with JSON that a device wrote, and
 * only the ARN of the invocation tells such an event from that of a gateway.
 */
function warnOfUnnamedDoors(ctx: Context): void {
  const { runtime } = stateOf(ctx);
  if (runtime.doors !== undefined || warned.has(runtime.log)) return;
  warned.add(runtime.log);
  if (!isLambda(runtime.environment)) return;
  guardHook(() => ctx.log.warn(UNNAMED_DOORS, { event: 'secure.unnamed_doors' }));
}

const UNNAMED_DOORS =
  'framework: a principal resolver reads claims of a front door, and no door is named: a service that passes a payload on ' +
  'can write them; set the option doors or the variable FRAMEWORK_DOORS (docs/security.md)';

/** A member of the event's request context; under {@link eventMember}'s condition. */
export function contextMember(ctx: Context, key: string): unknown {
  return ownOf(eventMember(ctx, 'requestContext'), key);
}

/** An object that may be absent. @throws FrameworkError 401 for anything else: AWS never writes that */
export function objectOrAbsent(value: unknown): Fields | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'object' || Array.isArray(value)) throw malformed();
  return value as Fields;
}

/** A string that must be there. @throws FrameworkError 401 */
export function requireText(value: unknown): string {
  if (typeof value !== 'string' || value.trim() === '') throw malformed();
  return value;
}

/** The error for a member that is not in the form that AWS writes: 401. */
export function malformed(): FrameworkError {
  return new FrameworkError('app.unauthorized');
}

/** `scope` of RFC 8693 section 4.2: scopes with spaces between. */
export function splitScope(value: unknown): readonly string[] {
  return typeof value === 'string' ? value.split(' ').filter((scope) => scope !== '') : [];
}

/** The members that are strings, or can only be meant as one: the gateways turn numbers and booleans into text here and there. */
export function textMembers(fields: Fields, except: readonly string[] = []): Record<string, string> {
  const entries = Object.entries(fields).filter(
    ([key, value]) => !except.includes(key) && ['string', 'number', 'boolean'].includes(typeof value),
  );
  return Object.fromEntries(entries.map(([key, value]) => [key, String(value)]));
}
