import { readFileSync } from 'node:fs';

/** The last statement of an ES module, before the comment with the name of its source map. */
const MODULE = /\bexport\s*\{([^{}]*)\}\s*;?\s*(?:\/\/# sourceMappingURL=\S*\s*)?$/;

/** esbuild lists the exports of a CommonJS file for Node, in code that does not run. */
const COMMONJS = /\b0\s*&&\s*\(\s*module\.exports\s*=\s*\{([^{}]*)\}\s*\)/g;

/**
 * The exports of a bundle's file, read from its text; `undefined` if they are unknown, such as the exports of a package that is not bundled.
 *
 * @param format the format of the bundle
 */
export function exportsOf(file: string, format: 'cjs' | 'esm'): readonly string[] | undefined {
  const text = readFileSync(file, 'utf8');
  if (format === 'esm') {
    if (/(?:^|[;\n])export\s*\*\s*from\b/.test(text)) return undefined;
    const list = MODULE.exec(text)?.[1];
    return list === undefined ? [] : namesIn(list).map((name) => name.split(/\s+as\s+/).at(-1) ?? name);
  }
  const list = [...text.matchAll(COMMONJS)].at(-1)?.[1];
  if (list === undefined || list.includes('...')) return list === undefined ? [] : undefined;
  return namesIn(list).map((name) => name.split(':')[0]?.trim() ?? name);
}

function namesIn(list: string): readonly string[] {
  return list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
