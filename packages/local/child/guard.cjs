// Preloaded into every process and worker of an environment: AWS host names do not resolve here, so that no call from a developer's
// machine reaches an account by mistake. The SDK prefers the host of a queue URL to any configured endpoint.
const dns = require('node:dns');

const AWS = /(?:^|\.)(?:amazonaws\.com(?:\.cn)?|on\.aws|api\.aws)\.?$/i;
const allowed = (process.env.SALLYPORT_LOCAL_AWS ?? '').split(',').filter((name) => name !== '');
delete process.env.SALLYPORT_LOCAL_AWS;

function refusalOf(hostname) {
  const name = String(hostname);
  if (
    !AWS.test(name) ||
    name
      .toLowerCase()
      .split('.')
      .some((label) => allowed.includes(label))
  )
    return undefined;
  const text = `framework: ${name} is an AWS host, and calls to AWS are blocked. Use the address of the local service (sallyport env prints it), or start with --aws <service> to allow calls to one service`;
  return Object.assign(new Error(text), { code: 'ENOTFOUND', errno: -3008, syscall: 'getaddrinfo', hostname: name });
}

const { lookup } = dns;
dns.lookup = Object.assign((hostname, options, callback) => {
  const refusal = refusalOf(hostname);
  if (!refusal) return lookup(hostname, options, callback);
  const answer = typeof options === 'function' ? options : callback;
  process.nextTick(answer, refusal);
  return {};
}, lookup);

const { lookup: lookupLater } = dns.promises;
dns.promises.lookup = async (hostname, options) => {
  const refusal = refusalOf(hostname);
  if (refusal) throw refusal;
  return lookupLater(hostname, options);
};
