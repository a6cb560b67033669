import { type Context, FrameworkError } from '@sallyport/core';
import { ownOf } from '../../../principal.js';

export type Fields = Readonly<Record<string, unknown>>;

/**
 * A member of the event where AWS made it. The event of a direct or agent invocation is what its caller wrote, with any claims
 * in it, so nothing is read from it.
 */
export function eventMember(ctx: Context, key: string): unknown {
  return ctx.invocationProvenance === 'provider' ? ownOf(ctx.event, key) : undefined;
}

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

/** A text that must be there. @throws FrameworkError 401 */
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

/** The members that are texts, or can only be meant as one: the gateways turn numbers and booleans into text here and there. */
export function textMembers(fields: Fields, except: readonly string[] = []): Record<string, string> {
  const entries = Object.entries(fields).filter(
    ([key, value]) => !except.includes(key) && ['string', 'number', 'boolean'].includes(typeof value),
  );
  return Object.fromEntries(entries.map(([key, value]) => [key, String(value)]));
}
