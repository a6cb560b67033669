// Preloaded into every process and worker of an environment: names of AWS do not resolve, so that nothing on a developer's
// machine reaches an account by mistake. The SDK prefers a queue URL's own host to any endpoint that is configured.
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
  const text = `framework: ${name} is AWS, and nothing leaves this machine. Use the address of the local service (sallyport env prints it), or start with --aws <service> to let the calls of one service through`;
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
