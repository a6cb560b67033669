const WINDOW = 512;
/** Line and column after the rest of a path. */
const POSITION = /[^:\n]{0,512}:\d{1,7}:\d{1,7}/y;
/** The start of a V8 stack frame, including the beginning of its path: `at run (/app/index.js:1:2)`, `at file:///app/index.mjs:1:2`. */
const FRAME = /^at (?:[^\n(]*\()?(?:async )?(?:file:\/\/)?\/?(?:[A-Za-z]:)?[\\/][^:\n]*$/;

/**
 * True if a place is in the file path of a stack frame. Operators search logs for packages, versions and hashes in such
 * paths: `/app/node_modules/.pnpm/next@15.0.0-rc.1_4ikpqbohktyhrcj3/token.js:10:5`.
 */
export function isInFramePath(text: string, start: number, end: number): boolean {
  POSITION.lastIndex = end;
  if (!POSITION.test(text)) return false;
  const before = text.slice(Math.max(0, start - WINDOW), start);
  const at = before.lastIndexOf('at ');
  return !/\w/.test(before.charAt(at - 1)) && FRAME.test(before.slice(Math.max(0, at)));
}

/** True if an apparent email address is a package with its version in the path of a stack frame: `next@15.0.0-rc.a`. */
export function isPackageVersion(text: string, start: number, word: string): boolean {
  return /@\d/.test(word) && isInFramePath(text, start, start + word.length);
}
