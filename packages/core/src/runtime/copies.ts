import { type FrameworkError, internalError } from '../errors/errors.js';
import { registeredCopies } from '../errors/internal/register.js';
import type { Logger } from '../observability/hooks.js';

/**
 * Describes the loaded copies of a package: `two copies of @sallyport/secure: 0.1.0 at /app/…, 0.2.0 at /app/…`; `''` if there is
 * only one. Bundled copies share one file.
 */
export function describeCopies(name: string): string {
  // A module that is evaluated again is the same copy.
  const copies = new Map<string, readonly [version: string, place: string]>();
  for (const [of, version, at] of registeredCopies()) {
    const place = placeOf(at);
    if (of === name) copies.set(`${version} ${place}`, [version, place]);
  }
  if (copies.size < 2) return '';
  const files = new Set([...copies.values()].map(([, place]) => fileOf(place)));
  const list = [...copies.values()].map(
    ([version, place]) => `${version} ${files.size < copies.size ? 'in this bundle' : `at ${fileOf(place)}`}`,
  );
  return `${copies.size === 2 ? 'two' : copies.size} copies of ${name}: ${list.join(', ')}`;
}

/** File, line and column of the statement that registered a copy. The stack is written out only here. */
function placeOf({ stack = '' }: Error): string {
  return /\n\s*at (?:.*\(|async )?(?:file:\/\/)?(.*?)\)?(?:\n|$)/.exec(stack)?.[1] ?? 'an unknown place';
}

function fileOf(place: string): string {
  return place.replace(/(?::\d+)+$/, '');
}

/**
 * The error for a value of another copy of a package, if it must not or cannot be used here. Its cause lists the copies.
 *
 * @param what the value
 */
export function otherCopy(name: string, what: string): FrameworkError {
  return internalError(otherCopyText(name, what));
}

/** The message of {@link otherCopy}, for errors of another code. */
export function otherCopyText(name: string, what: string): string {
  const copies = describeCopies(name) || `two copies of ${name}, of which one does not register itself`;
  return `${what} is of another copy of ${name}; ${copies}; install one version: npm ls ${name}`;
}

/** Writes one warning for each package with more than one copy, once a process. */
export function warnOfCopies(log: Logger): void {
  const registered = registeredCopies();
  if (registered.reported === registered.length || !log.isEnabled('warn')) return;
  const before = registered.slice(0, registered.reported ?? 0);
  registered.reported = registered.length;
  for (const name of new Set(registered.slice(before.length).map(([of]) => of))) {
    const text = describeCopies(name);
    if (text) log.warn(`framework: ${text}; install one version: npm ls ${name}`);
  }
}
