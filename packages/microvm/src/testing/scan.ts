import { defineOptions, list, string } from '@sallyport/core/options';
import { controllerIncomplete } from '../errors.js';
import { findForbidden, isForbiddenName } from '../internal/forbidden.js';

/** Additional values to scan for, in addition to names and patterns of credentials. */
export interface LeakScanOptions {
  /** Values that must not occur: issued tokens, messages of the service's errors. */
  readonly secrets?: readonly string[];
}

/** Validators and defaults for {@link LeakScanOptions}. */
const LEAK_SCAN_OPTIONS = defineOptions<LeakScanOptions>()(
  { secrets: list<string>(string).default([]) },
  { fail: controllerIncomplete },
);

/** A leaked name or value. */
export interface Leak {
  /** The path in the scanned value. */
  readonly path: string;
  /** The name or pattern of a credential, or the index of a secret. */
  readonly what: string;
}

const MAX_DEPTH = 32;

/**
 * Scans responses, headers, rows, events, log lines and errors for credentials: all names, strings and bytes, and the secrets in
 * plain, base64, base64url and percent-encoded form. Returns an empty list if there is no leak.
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
    for (const [name, member] of entriesOf(item)) {
      const place = path === '' ? name : `${path}.${name}`;
      if (isForbiddenName(name)) leaks.push({ path: place, what: 'the name of a credential' });
      checkText(name, place);
      visit(member, place, depth + 1);
    }
  };
  visit(value, '', 0);
  return leaks;
}

/** A secret in plain form and in the encodings of transports. */
function formsOf(secret: string): readonly string[] {
  const places = [0, 1, 2].flatMap((before) => [
    base64At(secret, before, 'base64'),
    base64At(secret, before, 'base64url'),
  ]);
  return [secret, ...places, encodeURIComponent(secret)];
}

/** A secret in base64 after that many bytes, without its first and last characters, which depend on the adjacent bytes. */
function base64At(secret: string, before: number, encoding: 'base64' | 'base64url'): string {
  const text = Buffer.from(' '.repeat(before) + secret).toString(encoding);
  return text.replace(/=+$/, '').slice(before === 0 ? 0 : before + 1, -1);
}

function entriesOf(item: object): readonly (readonly [string, unknown])[] {
  if (item instanceof Map) return [...item].map(([name, member]) => [String(name), member]);
  if (item instanceof Set) return [...item].map((member, index) => [String(index), member]);
  const names =
    item instanceof Error ? [...new Set([...Object.getOwnPropertyNames(item), 'name', 'message'])] : Object.keys(item);
  return names.flatMap((name) => {
    // The cause of an error is only logged, where the logger's rules apply; it is never sent.
    if (item instanceof Error && (name === 'cause' || name === 'stack')) return [];
    return [[name, (item as Readonly<Record<string, unknown>>)[name]]];
  });
}
