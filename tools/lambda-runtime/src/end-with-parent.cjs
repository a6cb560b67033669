// Preloaded into the process of a runtime. Standard input is a pipe from whoever started it: it ends when that process is gone,
// killed or not.
const { isMainThread } = require('node:worker_threads');

const { exit } = process;
if (isMainThread)
  process.stdin
    .on('end', () => exit(1))
    .resume()
    .unref();
