const { readdirSync, readFileSync } = require('node:fs');
const { join, sep } = require('node:path');
const { codeEntries } = require('./check/exports.mjs');

const ROOT = join(__dirname, '..');

/**
 * The source of every entry of the workspace's packages, by its name. Jest applies export conditions at run time only: without these names its
 * dependency graph stops at each package, and `--findRelatedTests` misses most tests.
 */
const SOURCES = new Map(
  ['packages', 'tools'].flatMap((parent) =>
    readdirSync(join(ROOT, parent)).flatMap((name) => sourcesOf(join(ROOT, parent, name))),
  ),
);

function sourcesOf(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return [...codeEntries(manifest)].map(([subpath, file]) => [
    `${manifest.name}${subpath.slice(1)}`,
    join(folder, file),
  ]);
}

/** A project outside the workspace has separate packages. */
module.exports = (request, options) => {
  const source = SOURCES.get(request);
  return source && `${options.basedir}${sep}`.startsWith(ROOT + sep)
    ? source
    : options.defaultResolver(request, options);
};
