import { kind, type OptionKind } from '@sallyport/core/options';

/** One scope: visible ASCII without quote and backslash (RFC 6749 section 3.3). */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** True if a value is one scope. */
export function isScope(value: unknown): value is string {
  return typeof value === 'string' && SCOPE.test(value);
}

/** Splits the scopes of a request or a claim at spaces. */
export function splitScopes(text: string): readonly string[] {
  return [...new Set(text.split(' ').filter((scope) => scope !== ''))];
}

/** A list of scopes, without duplicates. */
export const scopeList: OptionKind<readonly string[]> = /* @__PURE__ */ kind(
  'a list of scopes, each of visible characters without " and \\',
  (value) => Array.isArray(value) && value.every(isScope),
);
