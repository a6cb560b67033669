// Preloaded before the command: the n-th call of one function of `node:fs` kills the process, or fails. FAIL_AT is `renameSync:2:kill`.
// Counts only calls that name a file of the service (FAIL_ROOT), or an open file.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const [name = '', nth = '', how = ''] = (process.env.FAIL_AT ?? '').split(':');
const original = fs[name];
let calls = 0;
fs[name] = (...args) => {
  const isOurs = typeof args[0] === 'number' || String(args[0]).startsWith(process.env.FAIL_ROOT ?? '');
  const isRead = name === 'openSync' && args[1] !== 'wx';
  if (isOurs && !isRead) calls += 1;
  if (isOurs && !isRead && calls === Number(nth)) {
    // The earlier writes are done, and half of this call.
    if (name === 'writeFileSync') original(args[0], String(args[1]).slice(0, 10));
    if (how === 'kill') process.kill(process.pid, 'SIGKILL');
    throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
  }
  return original(...args);
};
syncBuiltinESMExports();
