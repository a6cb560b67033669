/** The policy of one listener: the requests that it accepts. */
export interface ListenerPolicy {
  /** The listener in messages: `the console`. */
  readonly name: string;
  /**
   * Accepted values of `Host`. `address`: exactly `127.0.0.1:<port>`. `port`: a loopback name with the listener's port. `names`: a loopback
   * name with any port, or a name of `--allow-host`.
   */
  readonly hosts: 'address' | 'port' | 'names';
  /**
   * Pages of a browser that may send requests. `none`: no page. `own`: pages that this listener serves. `local`: pages of this
   * machine at any port, or of a name of `--allow-host`; pages of other sites may only link here.
   */
  readonly pages: 'none' | 'own' | 'local';
  /** The remedy for a rejected client; `{host}` is replaced by the rejected name. */
  readonly remedy?: string;
}

const DOOR = { hosts: 'names', pages: 'local', remedy: '--allow-host {host} allows it' } as const;

/** The policy of every listener of a run. */
export const POLICIES = {
  console: { name: 'the console', hosts: 'port', pages: 'own' },
  'gateway-v2': { name: 'gateway-v2', ...DOOR },
  'gateway-v1': { name: 'gateway-v1', ...DOOR },
  'load-balancer': { name: 'load-balancer', ...DOOR },
  'function-url': { name: 'function-url', ...DOOR },
  websocket: { name: 'websocket', ...DOOR },
  graphql: { name: 'graphql', ...DOOR },
  // A front end of the developer uploads to presigned URLs of S3.
  aws: { name: 'the AWS port', ...DOOR },
  issuer: { name: 'the issuer', hosts: 'port', pages: 'own' },
  // The `fetch` of Node, with which functions export, sends a header of pages.
  traces: { name: 'the trace receiver', hosts: 'address', pages: 'own' },
  runtime: { name: 'the Runtime API', hosts: 'address', pages: 'none' },
} as const satisfies Readonly<Record<string, ListenerPolicy>>;
