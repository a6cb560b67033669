import { defineOptions, integer, object } from '@sallyport/core/options';
import { LATTICE_TRIGGER, latticeDoor } from '../kinds/lattice.js';
import { describeTrigger } from './entry.js';
import { DATA } from './internal/build.js';

/** Options of {@link buildLatticeRequest}. */
export interface LatticeRequestOptions {
  /** Of the event's form. Default 2. */
  readonly version?: number;
  /** Headers; more than one value only in version 2. Default: none. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Query parameters; more than one value only in version 2. Default: none. */
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  /** Bytes are sent as base64. Default: none. */
  readonly body?: string | Uint8Array;
  /** Identity of the caller, in version 2. Default: only its network. */
  readonly identity?: Readonly<Record<string, string>>;
}

type OneOrMany = Readonly<Record<string, string | readonly string[]>>;

const LATTICE_REQUEST = /* @__PURE__ */ defineOptions<LatticeRequestOptions>()({
  version: integer(1, 2).default(2),
  headers: object<OneOrMany>(),
  query: object<OneOrMany>(),
  body: DATA,
  identity: object<Readonly<Record<string, string>>>(),
});

/**
 * Builds a request of VPC Lattice.
 *
 * @see https://docs.aws.amazon.com/vpc-lattice/latest/ug/lambda-functions.html
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @example buildLatticeRequest('GET', '/orders', { query: { tag: ['a', 'b'] } });
 */
export function buildLatticeRequest(
  method: string,
  path: string,
  options: LatticeRequestOptions = {},
): Record<string, unknown> {
  const { version, headers = {}, query = {}, body, identity } = LATTICE_REQUEST.parse(options);
  const isBase64 = body instanceof Uint8Array;
  const text = isBase64 ? Buffer.from(body).toString('base64') : body;
  if (version === 1) {
    return {
      raw_path: path,
      method,
      headers: mapValues(headers, (values) => values.join(',')),
      query_string_parameters: mapValues(query, (values) => values.at(-1) ?? ''),
      body: text ?? '',
      is_base64_encoded: isBase64,
    };
  }
  const network = 'arn:aws:vpc-lattice:us-east-1:123456789012:';
  return {
    version: '2.0',
    path,
    method,
    headers: mapValues(headers, (values) => values),
    ...(options.query && { queryStringParameters: mapValues(query, (values) => values) }),
    ...(text !== undefined && { body: text, isBase64Encoded: isBase64 }),
    requestContext: {
      serviceNetworkArn: `${network}servicenetwork/sn-1`,
      serviceArn: `${network}service/svc-1`,
      targetGroupArn: `${network}targetgroup/tg-1`,
      identity: { sourceVpcArn: 'arn:aws:ec2:us-east-1:123456789012:vpc/vpc-1', ...identity },
      region: 'us-east-1',
      timeEpoch: '0',
    },
  };
}

function mapValues<T>(map: OneOrMany, to: (values: readonly string[]) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, to([value].flat())]));
}

/** VPC Lattice in the catalogue. @internal */
export const LATTICE = /* @__PURE__ */ describeTrigger(LATTICE_TRIGGER, {
  sample: {
    build: buildLatticeRequest,
    events: [
      [buildLatticeRequest('GET', '/', { version: 1 }), undefined],
      [buildLatticeRequest('GET', '/'), undefined],
    ],
    names: [],
    register: () => latticeDoor(),
  },
  docs: {
    section: 'VPC Lattice',
    rows: [['`latticeDoor()`; `LatticeDoor`', "VPC Lattice in front of the container's routes"]],
  },
  construct: null,
  simulate: null,
  aws: {
    author: 'VPC Lattice; a client wrote the request',
    failure: 'VPC Lattice answers 500',
    limit: '6 MB',
    attached: 'a target group',
  },
  sizes: { factory: 'latticeDoor', gzipBytes: 2_200 },
});
