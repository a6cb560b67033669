// Preloaded before the command: lets the n-th call of one function of `node:fs` kill the process, or fail. FAIL_AT is `renameSync:2:kill`.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const [name = '', nth = '', how = ''] = (process.env.FAIL_AT ?? '').split(':');
const original = fs[name];
let calls = 0;
fs[name] = (...args) => {
  const isOurs = args.some((arg) => String(arg).includes('.sallyport-')) || typeof args[0] === 'number';
  if (isOurs) calls += 1;
  if (isOurs && calls === Number(nth)) {
    // What it wrote so far is there, and half of this call.
    if (name === 'writeFileSync') fs.writeSync(args[0], String(args[1]).slice(0, 10));
    if (how === 'kill') process.kill(process.pid, 'SIGKILL');
    throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
  }
  return original(...args);
};
syncBuiltinESMExports();
