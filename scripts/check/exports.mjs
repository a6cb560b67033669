// Plain JavaScript: Jest's resolver loads it before anything compiles TypeScript.

/** The condition of every `exports` map that names the TypeScript source. */
const SOURCE_CONDITION = '@sallyport/source';

/** @typedef {Readonly<Record<string, string | Readonly<Record<string, string>>>>} Exports a file for each sub-path, or one for each condition */

/**
 * Sub-path (`.`, `./testing`) to the file with the code, relative to the package's folder. Files without code are left out.
 *
 * @param {{ readonly exports?: Exports }} manifest
 * @returns {ReadonlyMap<string, string>}
 */
export function sourceEntries({ exports = {} }) {
  const entries = Object.entries(exports).flatMap(([subpath, target]) => {
    const file = typeof target === 'string' ? target : target[SOURCE_CONDITION];
    return /\.(?:ts|mjs|js)$/.test(file ?? '') ? [[subpath, file.replace(/^\.\//, '')]] : [];
  });
  return new Map(entries);
}

/**
 * Every file that a published package promises: of its exports, for each condition, and of its commands, each with its name.
 *
 * @param {{ readonly exports?: Exports, readonly bin?: Readonly<Record<string, string>> }} manifest
 * @returns {readonly (readonly [name: string, file: string])[]}
 */
export function targetsOf({ exports = {}, bin = {} }) {
  const targets = Object.entries(exports).flatMap(([subpath, target]) =>
    (typeof target === 'string' ? [target] : Object.values(target)).map((file) => [subpath, file]),
  );
  return [...targets, ...Object.entries(bin)];
}
