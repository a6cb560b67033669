import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCE = '@sallyport/source';

/**
 * The sources of every entry of the workspace's packages, by pattern of its name, for jest's `moduleNameMapper`. Jest resolves names by
 * export conditions at run time only; without this its dependency graph stops at package names, and `--findRelatedTests` misses most tests.
 *
 * @param {string} root
 */
export function workspaceNames(root) {
  const folders = ['packages', 'tools'].flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => `${parent}/${name}`),
  );
  return Object.fromEntries(
    folders.flatMap((folder) => {
      const { name, exports = {} } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
      return Object.entries(exports).flatMap(([entry, target]) => {
        const file = typeof target === 'string' ? target : target[SOURCE];
        if (!/\.(?:ts|mjs|js)$/.test(file ?? '')) return [];
        return [[`^${name}${entry.slice(1)}$`, `<rootDir>/${folder}/${file.slice(2)}`]];
      });
    }),
  );
}
