import { type FrameworkError, internalError } from '../errors/errors.js';
import { type Copy, registeredCopies } from '../errors/internal/register.js';
import type { Logger } from '../observability/hooks.js';

/**
 * The loaded copies of a package as text: `two copies of @sallyport/secure: 0.1.0 at /app/…, 0.2.0 at /app/…`; `''` if there is
 * only one. Bundled copies have no file of their own.
 */
export function describeCopies(name: string): string {
  const registered = registeredCopies().filter((copy) => copy[0] === name);
  // A module that is evaluated again is the same copy.
  const named = [...new Map(registered.map((copy) => [`${copy[1]} ${placeOf(copy)}`, copy])).values()];
  if (named.length < 2) return '';
  const files = named.map((copy) => placeOf(copy).replace(/(?::\d+)+$/, ''));
  const isBundle = new Set(files).size < files.length;
  const list = named.map((copy, index) => `${copy[1]} ${isBundle ? 'in this bundle' : `at ${files[index]}`}`);
  return `${named.length === 2 ? 'two' : named.length} copies of ${name}: ${list.join(', ')}`;
}

/** File, line and column of the statement that registered a copy. The stack is written out only here. */
function placeOf([, , at]: Copy): string {
  const frame = /\n\s*at (.*)/.exec(at.stack ?? '')?.[1] ?? 'an unknown place';
  return frame.replace(/^.*\((.*)\)$/, '$1').replace(/^async |^file:\/\//g, '');
}

/**
 * The error for a value of another copy of a package, where that copy must not or cannot be understood. Its cause names the copies.
 *
 * @param what the value that was met
 */
export function otherCopy(name: string, what: string): FrameworkError {
  return internalError(otherCopyText(name, what));
}

/** The text of {@link otherCopy}, for errors of another code. */
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
