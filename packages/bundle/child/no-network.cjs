// Refuses connections, listeners, look-ups and other processes, and records each attempt: the maker of a cache runs the modules of an application.
'use strict';
const net = require('node:net');
const dgram = require('node:dgram');
const dns = require('node:dns');
const childProcess = require('node:child_process');
const workers = require('node:worker_threads');
const { syncBuiltinESMExports } = require('node:module');

const refused = [];

function refuse(what) {
  if (!refused.includes(what) && refused.length < 20) refused.push(what);
  return Object.assign(new Error(`framework: the maker of the start cache refuses ${what}`), { code: 'ECONNREFUSED' });
}

net.Socket.prototype.connect = function connect(...given) {
  const [options] = Array.isArray(given[0]) ? given[0] : given;
  const place =
    typeof options === 'object' && options !== null
      ? (options.path ?? `${options.host ?? 'localhost'}:${options.port}`)
      : given.slice(0, 2).join(':');
  this.destroy(refuse(`a connection to ${place}`));
  return this;
};
for (const [owner, name, what] of [
  [net.Server.prototype, 'listen', 'a listener'],
  [dgram.Socket.prototype, 'bind', 'a datagram socket'],
  [dgram.Socket.prototype, 'connect', 'a datagram socket'],
  [dgram.Socket.prototype, 'send', 'a datagram socket'],
  [workers, 'Worker', 'a worker'],
  ...['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'].map((one) => [
    childProcess,
    one,
    'another process',
  ]),
]) {
  owner[name] = function refusing() {
    throw refuse(what);
  };
}
for (const owner of [dns, dns.Resolver.prototype, dns.promises, dns.promises.Resolver.prototype]) {
  const isPromised = owner === dns.promises || owner === dns.promises.Resolver.prototype;
  for (const name of Object.getOwnPropertyNames(owner)) {
    if (typeof owner[name] !== 'function' || !/^(?:lookup|resolve|reverse)/.test(name)) continue;
    owner[name] = (...given) => {
      const error = refuse(`the look-up of ${given[0]}`);
      if (isPromised) return Promise.reject(error);
      process.nextTick(given.at(-1), error);
      return {};
    };
  }
}
syncBuiltinESMExports();

module.exports = { refused };
