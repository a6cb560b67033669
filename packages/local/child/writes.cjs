// Preloaded into every process of an environment. Lambda's file system is read-only except for /tmp, which is the folder in TMPDIR here:
// each path outside it that a function writes with node:fs is reported to the host on descriptor 5. The write itself is not changed.
const fs = require('node:fs');
const { isAbsolute, join, relative, resolve, sep } = require('node:path');
const { syncBuiltinESMExports } = require('node:module');
const { fileURLToPath } = require('node:url');

const TO_HOST = 5;
const { writeSync } = fs;
const TEMPORARY = process.env.TMPDIR;
const reported = new Set();

/** The functions that change the file system, by the position of the path that they change. */
const FIRST = ['writeFile', 'appendFile', 'mkdir', 'mkdtemp', 'rm', 'rmdir', 'unlink', 'truncate', 'chmod', 'utimes'];
const SECOND = ['rename', 'copyFile', 'cp', 'link', 'symlink'];

function toPath(given) {
  if (given instanceof URL) return given.protocol === 'file:' ? fileURLToPath(given) : undefined;
  return typeof given === 'string' || Buffer.isBuffer(given) ? resolve(String(given)) : undefined;
}

const isIn = (path, folder) => path === folder || path.startsWith(folder + sep);

/** A project can itself be in `/tmp`: its folder is the task root, which Lambda does not let a function write. */
function isAllowed(path) {
  if (TEMPORARY !== undefined && isIn(path, TEMPORARY)) return true;
  return !isIn(path, process.cwd()) && ['/tmp', '/dev', '/proc'].some((folder) => isIn(path, folder));
}

function report(given) {
  try {
    const path = toPath(given);
    if (path === undefined || isAllowed(path)) return;
    const own = relative(process.cwd(), path);
    const shown = own.startsWith('..') || isAbsolute(own) ? path : join(own);
    const id = globalThis.awslambda?.InvokeStore?.getRequestId() ?? '-';
    const key = `${id} ${shown}`;
    if (reported.has(key)) return;
    if (reported.size > 1000) reported.clear();
    reported.add(key);
    writeSync(TO_HOST, `${JSON.stringify({ type: 'wrote', id, path: shown })}\n`);
  } catch {
    // The host is gone, or the path is not a path: the function itself reports that.
  }
}

/** True for flags that create or change a file: https://nodejs.org/api/fs.html#file-system-flags */
function writes(flags) {
  if (typeof flags === 'number')
    return (flags & (fs.constants.O_WRONLY | fs.constants.O_RDWR | fs.constants.O_CREAT)) !== 0;
  return typeof flags === 'string' && /[wa+]/.test(flags);
}

function wrap(owner, name, before) {
  const original = owner[name];
  if (typeof original !== 'function') return;
  // Members such as `util.promisify.custom` are kept.
  owner[name] = Object.assign(function (...args) {
    before(args);
    return original.apply(this, args);
  }, original);
}

for (const owner of [fs, fs.promises]) {
  for (const suffix of owner === fs ? ['', 'Sync'] : ['']) {
    for (const name of FIRST) wrap(owner, name + suffix, ([path]) => report(path));
    for (const name of SECOND) wrap(owner, name + suffix, ([, path]) => report(path));
    wrap(owner, `open${suffix}`, ([path, flags]) => writes(flags) && report(path));
  }
}
wrap(fs, 'createWriteStream', ([path]) => report(path));
syncBuiltinESMExports();
