// Imports the given modules and reports which code read a clock or a random number meanwhile.
import { syncBuiltinESMExports } from 'node:module';

const CODE = /[\\/]packages[\\/][\w-]+[\\/](?:src|dist)[\\/]|[\\/]scripts[\\/]snapshot[\\/](?!record)/;
const calls = [];
const stackOf = Error;

function note(name) {
  const { stack = '' } = new stackOf(name);
  const place = stack.split('\n').find((line) => CODE.test(line));
  if (place) calls.push(`${name} ${place.trim()}`);
}

/** Replaces a member with a function that records the call and then calls the original. */
function watch(owner, member, name) {
  const original = owner[member];
  const watched = function (...args) {
    note(name);
    return Reflect.apply(original, this, args);
  };
  Object.defineProperty(owner, member, { value: Object.assign(watched, original), configurable: true, writable: true });
}

const builtin = (name) => process.getBuiltinModule(name);
for (const member of ['randomUUID', 'randomBytes', 'randomInt', 'randomFill', 'randomFillSync']) {
  watch(builtin('node:crypto'), member, `crypto.${member}`);
}
for (const member of ['randomUUID', 'getRandomValues']) watch(Crypto.prototype, member, `crypto.${member}`);
watch(Math, 'random', 'Math.random');
watch(Performance.prototype, 'now', 'performance.now');
watch(process, 'hrtime', 'process.hrtime');
watch(process.hrtime, 'bigint', 'process.hrtime.bigint');
watch(process, 'uptime', 'process.uptime');
syncBuiltinESMExports();
watch(Date, 'now', 'Date.now');
globalThis.Date = new Proxy(Date, {
  construct(target, args, newTarget) {
    if (args.length === 0) note('new Date');
    return Reflect.construct(target, args, newTarget);
  },
  apply(target, self, args) {
    note('Date');
    return Reflect.apply(target, self, args);
  },
});

for (const module of process.argv.slice(2)) await import(module);
process.stdout.write(JSON.stringify(calls));
