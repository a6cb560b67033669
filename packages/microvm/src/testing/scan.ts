import { defineOptions, list, string } from '@sallyport/core/options';
import { controllerIncomplete } from '../errors.js';
import { findForbidden, isForbiddenName } from '../internal/forbidden.js';

/** What a scan looks for next to the names and forms of credentials. */
export interface LeakScanOptions {
  /** Values that must occur nowhere: tokens that were given out, strings of the service's errors. */
  readonly secrets?: readonly string[];
}

/** Validators and defaults for {@link LeakScanOptions}. */
const LEAK_SCAN_OPTIONS = defineOptions<LeakScanOptions>()(
  { secrets: list<string>(string).default([]) },
  { fail: controllerIncomplete },
);

/** A place where something must not be. */
export interface Leak {
  /** The path within the value that was scanned. */
  readonly path: string;
  /** What is there: a name or form of a credential, or one of the secrets by its position in the list. */
  readonly what: string;
}

const MAX_DEPTH = 32;

/**
 * Looks through answers, headers, rows, events, log lines and errors for credentials: at every name and text, at bytes, and at the
 * secrets as they are, in base64, in base64url and percent-encoded. Nothing found is an empty list.
 *
 * @example expect(scanForLeaks(answer, { secrets: provider.secrets })).toEqual([]);
 */
export function scanForLeaks(value: unknown, options: LeakScanOptions = {}): readonly Leak[] {
  const { secrets } = LEAK_SCAN_OPTIONS.parse(options);
  const forms = secrets.map((secret) => formsOf(secret));
  const leaks: Leak[] = [];
  const seen = new Set<object>();
  const checkText = (text: string, path: string) => {
    const at = forms.findIndex((some) => some.some((form) => text.includes(form)));
    if (at >= 0) leaks.push({ path, what: `secret ${at}` });
    else if (findForbidden(text) !== undefined) leaks.push({ path, what: 'a credential' });
  };
  const visit = (item: unknown, path: string, depth: number): void => {
    if (typeof item === 'string') checkText(item, path);
    if (typeof item !== 'object' || item === null || depth > MAX_DEPTH || seen.has(item)) return;
    seen.add(item);
    if (item instanceof Uint8Array) {
      checkText(Buffer.from(item).toString('latin1'), path);
      return;
    }
    for (const [name, member] of membersOf(item)) {
      const place = path === '' ? name : `${path}.${name}`;
      if (isForbiddenName(name)) leaks.push({ path: place, what: 'the name of a credential' });
      checkText(name, place);
      visit(member, place, depth + 1);
    }
  };
  visit(value, '', 0);
  return leaks;
}

/** A secret as it is, and as transports write it. */
function formsOf(secret: string): readonly string[] {
  const places = [0, 1, 2].flatMap((before) => [
    base64At(secret, before, 'base64'),
    base64At(secret, before, 'base64url'),
  ]);
  return [secret, ...places, encodeURIComponent(secret)];
}

/** A secret in base64 after that many bytes, without the two ends: they depend on what stands next to it. */
function base64At(secret: string, before: number, encoding: 'base64' | 'base64url'): string {
  const text = Buffer.from(' '.repeat(before) + secret).toString(encoding);
  return text.replace(/=+$/, '').slice(before === 0 ? 0 : before + 1, -1);
}

function membersOf(item: object): readonly (readonly [string, unknown])[] {
  if (item instanceof Map) return [...item].map(([name, member]) => [String(name), member]);
  if (item instanceof Set) return [...item].map((member, index) => [String(index), member]);
  const names =
    item instanceof Error ? [...new Set([...Object.getOwnPropertyNames(item), 'name', 'message'])] : Object.keys(item);
  return names.flatMap((name) => {
    // The cause of an error is for logs, where the logger's own rules apply; it is never sent.
    if (item instanceof Error && (name === 'cause' || name === 'stack')) return [];
    return [[name, (item as Readonly<Record<string, unknown>>)[name]]];
  });
}
