import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The packages that AWS's exporter depends on: its transformer has the descriptors that `protobufjs` made of the published `.proto` files. */
const require = createRequire(import.meta.url);
const ofAws = createRequire(require.resolve('@aws/aws-distro-opentelemetry-exporter-xray-udp'));
const root = ofAws(join(dirname(ofAws.resolve('@opentelemetry/otlp-transformer')), 'generated/root.js'));

/** The members of a decoded request that the tests read. */
export interface Decoded {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly unknown[] };
    readonly scopeSpans: readonly { readonly scope: object; readonly spans: readonly DecodedSpan[] }[];
  }[];
}

/** A span as `protobufjs` decodes it: ids in base64, 64-bit integers as strings. */
export interface DecodedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind?: string;
  readonly attributes?: readonly { readonly key: string; readonly value: object }[];
  readonly droppedAttributesCount?: number;
  readonly [member: string]: unknown;
}

const request = root.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;

/** Decodes a request with their descriptors; members that are not in the bytes have the default of proto3. */
export function decodeTraces(bytes: Uint8Array): Decoded {
  return request.toObject(request.decode(bytes), { longs: String, bytes: String, defaults: true }) as Decoded;
}

/** All spans of a request. */
export function spansIn(decoded: Decoded): readonly DecodedSpan[] {
  return decoded.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}
