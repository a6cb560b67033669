// Plain JavaScript: Jest's resolver loads it before anything compiles TypeScript.

/** The condition of every `exports` map that names the TypeScript source. */
const SOURCE_CONDITION = '@sallyport/source';

/** @typedef {Readonly<Record<string, string | Readonly<Record<string, string>>>>} Exports a file for each sub-path, or one for each condition */

/**
 * Sub-path (`.`, `./testing`) to source file, relative to the package's folder. Files without a source are left out.
 *
 * @param {{ readonly exports?: Exports }} manifest
 * @returns {ReadonlyMap<string, string>}
 */
export function sourceEntries({ exports = {} }) {
  const entries = Object.entries(exports).flatMap(([subpath, target]) => {
    const source = typeof target === 'string' ? undefined : target[SOURCE_CONDITION];
    return source === undefined ? [] : [[subpath, source.replace(/^\.\//, '')]];
  });
  return new Map(entries);
}

/**
 * The same, with the code of private packages, whose exports have no conditions.
 *
 * @param {{ readonly exports?: Exports }} manifest
 * @returns {ReadonlyMap<string, string>}
 */
export function codeEntries({ exports = {} }) {
  const direct = Object.entries(exports).filter(([, target]) => /\.(?:ts|mjs|js)$/.test(String(target)));
  return new Map([...sourceEntries({ exports }), ...direct]);
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
