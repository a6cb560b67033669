import { type Context, FrameworkError, isLambda } from '@sallyport/core';
import { type ContextRuntime, guardHook, ownOf, stateOf } from '@sallyport/core/internal';

export type Fields = Readonly<Record<string, unknown>>;

/**
 * A member of an event that AWS created. The caller writes the event of a direct or agent invocation, with any claims
 * in it, so its members are ignored.
 */
export function eventMember(ctx: Context, key: string): unknown {
  if (ctx.invocationProvenance !== 'provider') return undefined;
  warnOfUnnamedDoors(ctx);
  return ownOf(ctx.event, key);
}

/** By the container's logger, because a surface creates a runtime for each of its contexts. */
const warned = new WeakSet<ContextRuntime['log']>();

/**
 * One line for each execution environment: services such as IoT rules invoke a function with JSON that a device wrote, and
 * only the ARN of the invocation distinguishes such an event from a gateway event.
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

/** A member of the event's request context, with the condition of {@link eventMember}. */
export function contextMember(ctx: Context, key: string): unknown {
  return ownOf(eventMember(ctx, 'requestContext'), key);
}

/** An object, or `undefined` if absent. @throws FrameworkError 401 for anything else: AWS never sends that */
export function objectOrAbsent(value: unknown): Fields | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'object' || Array.isArray(value)) throw malformed();
  return value as Fields;
}

/** A required string. @throws FrameworkError 401 */
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

/** The members that are strings, numbers or booleans, as strings: gateways convert some numbers and booleans to strings. */
export function textMembers(fields: Fields, except: readonly string[] = []): Record<string, string> {
  const entries = Object.entries(fields).filter(
    ([key, value]) => !except.includes(key) && ['string', 'number', 'boolean'].includes(typeof value),
  );
  return Object.fromEntries(entries.map(([key, value]) => [key, String(value)]));
}
