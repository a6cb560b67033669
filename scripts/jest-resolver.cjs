const { readdirSync, readFileSync } = require('node:fs');
const { join, sep } = require('node:path');

const ROOT = join(__dirname, '..');
const SOURCE = '@sallyport/source';

/**
 * The source of every entry of the workspace's packages, by its name. Jest applies export conditions at run time only: without these names its
 * dependency graph stops at each package, and `--findRelatedTests` misses most tests.
 */
const SOURCES = new Map(
  ['packages', 'tools'].flatMap((parent) =>
    readdirSync(join(ROOT, parent)).flatMap((folder) => entriesOf(join(ROOT, parent, folder))),
  ),
);

function entriesOf(folder) {
  const { name, exports = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return Object.entries(exports).flatMap(([entry, target]) => {
    const file = typeof target === 'string' ? target : target[SOURCE];
    return /\.(?:ts|mjs|js)$/.test(file ?? '') ? [[`${name}${entry.slice(1)}`, join(folder, file)]] : [];
  });
}

/** A project outside the workspace has separate packages. */
module.exports = (request, options) => {
  const source = SOURCES.get(request);
  return source && `${options.basedir}${sep}`.startsWith(ROOT + sep)
    ? source
    : options.defaultResolver(request, options);
};
