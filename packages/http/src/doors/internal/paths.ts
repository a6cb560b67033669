// biome-ignore lint/suspicious/noControlCharactersInRegex: controls are among what a decoded path may hold.
const UNSAFE_IN_PATH = /[%?#\x00-\x20\x7f-\uffff]+/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
const HAS_UNSAFE = /[%?#\x00-\x20\x7f-\uffff]/;

/** Escapes a path that AWS has decoded, so that the one later decoding gives what the client meant. */
export function escapeDecodedPath(path: string): string {
  return HAS_UNSAFE.test(path) ? path.replace(UNSAFE_IN_PATH, (run) => encodeURIComponent(run.toWellFormed())) : path;
}

/** Removes the stage that a gateway puts in front of the path, once. */
export function cutStage(path: string, stage: unknown): string {
  if (typeof stage !== 'string' || stage === '' || stage === '$default') return path;
  return cutPrefix(path, `/${stage}`) ?? path;
}

/** Removes the first of the prefixes that fits (they come longest first), in whole segments, once. */
export function cutBasePath(path: string, prefixes: readonly string[]): string {
  for (const prefix of prefixes) {
    const rest = cutPrefix(path, prefix);
    if (rest !== undefined) return rest;
  }
  return path;
}

function cutPrefix(path: string, prefix: string): string | undefined {
  if (!path.startsWith(prefix)) return undefined;
  if (path.length === prefix.length) return '/';
  return path.charCodeAt(prefix.length) === 47 ? path.slice(prefix.length) : undefined;
}

/** A string, or `''`. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The first of two values that is a text with more than blanks. */
export function firstText(first: unknown, second: unknown): string {
  const text = textOf(first);
  return text.trim() === '' ? textOf(second) : text;
}
