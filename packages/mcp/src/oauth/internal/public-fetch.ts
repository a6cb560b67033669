import type { BlockList, LookupFunction } from 'node:net';

/** Limits and address rules for fetching a URL that a caller chose. */
export interface FetchRules {
  /** Milliseconds for the whole fetch. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** True if connections to an address are allowed. */
  readonly isAllowed: (address: string) => boolean;
  /** Resolves host names; tests replace it. Default: the system's resolver. */
  readonly lookup?: LookupFunction;
  /** Certificates to trust in addition to the certificates of the system. */
  readonly ca?: string;
}

/** The response. */
export interface Fetched {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/**
 * Sends a GET over https to a host name whose addresses are all allowed. The connection uses an address that was checked, so a DNS answer
 * that changes after the check has no effect. Redirects are not followed, and the request contains no credentials of this process.
 *
 * @throws Error if the response fails, exceeds the time limit or exceeds the size limit
 */
export function fetchPublic(url: URL, rules: FetchRules): Promise<Fetched> {
  const https = process.getBuiltinModule('node:https');
  const signal = AbortSignal.timeout(rules.timeoutMs);
  const lookup = checkedLookup(rules);
  return new Promise<Fetched>((resolve, reject) => {
    const options = {
      agent: false,
      signal,
      lookup,
      headers: { accept: 'application/json' },
      ...(rules.ca && { ca: rules.ca }),
    } as const;
    const request = https.get(url, options, (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        chunks.push(chunk);
        if (bytes > rules.maxBytes) request.destroy(new Error(`the document is larger than ${rules.maxBytes} bytes`));
      });
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode = 0, headers } = response;
        resolve({
          status: statusCode,
          contentType: headers['content-type'] ?? '',
          body: Buffer.concat(chunks).toString('utf8'),
        });
      });
    });
    request.on('error', reject);
  });
}

/** A lookup that fails if any address of the host is not allowed. */
function checkedLookup({ isAllowed, lookup }: FetchRules): LookupFunction {
  const dns = process.getBuiltinModule('node:dns');
  const find: LookupFunction = lookup ?? (dns.lookup as LookupFunction);
  return (hostname, options, callback) => {
    find(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, [], 0);
      const addresses = typeof found === 'string' ? [] : found;
      const isSafe = addresses.length > 0 && addresses.every(({ address }) => isAllowed(address));
      if (!isSafe) return callback(new Error('the host has an address that is not public'), [], 0);
      const [first] = addresses;
      return options.all ? callback(null, addresses) : callback(null, first?.address ?? '', first?.family);
    });
  };
}

/** IPv4 ranges that are not public (IANA special-purpose registries, RFC 6890). */
const NOT_PUBLIC_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
];
/** Ranges inside 2000::/3 that are not public: protocol assignments with Teredo, documentation, 6to4, documentation. */
const NOT_PUBLIC_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

let made: { readonly global: BlockList; readonly special: BlockList } | undefined;

/** Created on first use, because most functions fetch nothing. */
function createLists(): NonNullable<typeof made> {
  const { BlockList } = process.getBuiltinModule('node:net');
  const [global, special] = [new BlockList(), new BlockList()];
  global.addSubnet('2000::', 3, 'ipv6');
  const add = (range: string, family: 'ipv4' | 'ipv6') => {
    const [network = '', prefix] = range.split('/');
    special.addSubnet(network, Number(prefix), family);
  };
  for (const range of NOT_PUBLIC_V4) add(range, 'ipv4');
  for (const range of NOT_PUBLIC_V6) add(range, 'ipv6');
  return { global, special };
}

/** True if an address is public. Loopback, private networks and the metadata service of a cloud are not. */
export function isPublicAddress(address: string): boolean {
  made ??= createLists();
  const { global, special } = made;
  const family = process.getBuiltinModule('node:net').isIP(address);
  if (family === 4) return !special.check(address, 'ipv4');
  if (family !== 6 || address.includes('%')) return false;
  return global.check(address, 'ipv6') && !special.check(address, 'ipv6');
}
