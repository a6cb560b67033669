import type { Socket } from 'node:dgram';
import { defineOptions, invalidConfiguration, text } from '@sallyport/core/options';
import { encode, Output } from '../encoding/protobuf.js';
import { type SpanData, TRACES, toTraces } from '../encoding/traces.js';
import { type ExportCounts, noCounts, type SpanBatch, type SpanExporter } from './exporter.js';

/** Options of {@link udpExporter}. */
export interface UdpExporterOptions {
  /** `host:port`, or `udp:host:port` in a list. Default: the variable `AWS_XRAY_DAEMON_ADDRESS`, else `127.0.0.1:2000`. */
  readonly address?: string | undefined;
}

/** Validators and defaults for {@link UdpExporterOptions}. */
export const UDP_EXPORTER_OPTIONS = /* @__PURE__ */ defineOptions<UdpExporterOptions>()({ address: text('host:port') });

/**
 * The frame of the X-Ray daemon for OpenTelemetry: a header line, then `T1S` and base64, as AWS's exporter writes it
 * (https://github.com/aws-observability/aws-otel-js-instrumentation, `exporters/aws-distro-opentelemetry-exporter-xray-udp`).
 */
const FRAME = '{"format":"json","version":1}\nT1S';

/** Below 64 KiB: the size of a segment document (https://docs.aws.amazon.com/general/latest/gr/xray.html) and of a UDP datagram. */
const MAX_FRAME_BYTES = 60_000;
const MAX_BYTES = Math.floor((MAX_FRAME_BYTES - FRAME.length) / 4) * 3;

/**
 * Sends spans to the UDP socket that Lambda provides for X-Ray: nothing is awaited, and no layer or agent is needed. The socket is connected
 * at construction, so that a datagram leaves before the environment freezes.
 *
 * @throws FrameworkError `app.invalid_configuration` for an address without host or port, and for an unknown key
 * @example tracing({ service: 'orders', exporter: udpExporter() });
 */
export function udpExporter(options: UdpExporterOptions = {}): SpanExporter {
  const { address } = UDP_EXPORTER_OPTIONS.parse(options);
  return new UdpExporter(address ?? process.env.AWS_XRAY_DAEMON_ADDRESS ?? '127.0.0.1:2000');
}

class UdpExporter implements SpanExporter {
  readonly joinsPlatform = true;
  readonly counts: ExportCounts = noCounts();
  readonly #host: string;
  readonly #port: number;
  readonly #out = new Output();
  #socket: Socket | undefined;
  /** Frames from before the socket was connected; `undefined` afterwards. */
  #waiting: Frame[] | undefined = [];

  constructor(address: string) {
    // `tcp:host:port udp:host:port` names the sampling service and the socket for segments.
    const { host = '', port = '' } = ADDRESS.exec(address)?.groups ?? {};
    this.#host = host.replace(/[[\]]/g, '');
    this.#port = Number(port);
    if (this.#port < 1 || this.#port > 65_535) {
      throw invalidConfiguration('option "address" or the variable AWS_XRAY_DAEMON_ADDRESS must be host:port');
    }
    // A socket in a snapshot is not connected after a restore.
    if (process.env.AWS_LAMBDA_INITIALIZATION_TYPE !== 'snap-start') this.begin();
  }

  begin(): void {
    if (this.#socket) return;
    const socket = process.getBuiltinModule('node:dgram').createSocket(this.#host.includes(':') ? 'udp6' : 'udp4');
    socket.unref();
    // Without a receiver, Linux reports that an earlier datagram was rejected.
    socket.on('error', () => {
      const waiting = this.#waiting?.splice(0) ?? [];
      for (const { spans } of waiting) this.#failed(spans);
    });
    socket.connect(this.#port, this.#host, () => {
      const waiting = this.#waiting ?? [];
      this.#waiting = undefined;
      for (const frame of waiting) this.#sendFrame(frame);
    });
    this.#socket = socket;
  }

  export(batch: SpanBatch): undefined {
    const { spans, resource, scope } = batch;
    const bytes = encode(TRACES, toTraces(resource, scope, spans), this.#out);
    if (bytes.length <= MAX_BYTES) return this.#send(bytes, spans.length);
    const [first] = spans;
    if (first && spans.length === 1) return this.#exportCut(batch, first, bytes.length - MAX_BYTES);
    const half = spans.length >> 1;
    this.export({ ...batch, spans: spans.slice(0, half) });
    this.export({ ...batch, spans: spans.slice(half) });
  }

  /** Removes the longest attribute, or else events and links. */
  #exportCut(batch: SpanBatch, span: SpanData, surplus: number): undefined {
    const [longest] = Object.entries(span.attributes).sort(([, a], [, b]) => String(b).length - String(a).length);
    if (!longest && span.events.length + span.links.length === 0) {
      this.counts.droppedSpans += 1;
      return;
    }
    const { [longest?.[0] ?? '']: _removed, ...attributes } = span.attributes;
    const cut = longest
      ? { ...span, attributes, droppedAttributesCount: span.droppedAttributesCount + 1 }
      : {
          ...span,
          events: [],
          links: [],
          droppedEventsCount: span.droppedEventsCount + span.events.length,
          droppedLinksCount: span.droppedLinksCount + span.links.length,
        };
    if (longest && surplus > 0) this.counts.cutAttributes += 1;
    return this.export({ ...batch, spans: [cut] });
  }

  #failed(spans: number): void {
    const { counts } = this;
    counts.droppedSpans += spans;
    counts.failedExports = (counts.failedExports ?? 0) + 1;
  }

  #send(bytes: Buffer, spans: number): undefined {
    const content = bytes.toString('base64');
    const buffer = Buffer.allocUnsafe(FRAME.length + content.length);
    buffer.write(FRAME, 'latin1');
    buffer.write(content, FRAME.length, 'latin1');
    const frame = { bytes: buffer, spans };
    this.begin();
    if (this.#waiting) this.#waiting.push(frame);
    else this.#sendFrame(frame);
  }

  #sendFrame({ bytes, spans }: Frame): void {
    const { counts } = this;
    this.#socket?.send(bytes, (error) => {
      if (error) this.#failed(spans);
      else {
        counts.sentSpans += spans;
        counts.sentBytes += bytes.length;
      }
    });
  }
}

interface Frame {
  readonly bytes: Buffer;
  readonly spans: number;
}

const ADDRESS = /^(?:tcp:\S+ +)?(?:udp:)?(?<host>[\w.-]+|\[[\da-f:.]+\]):(?<port>\d{1,5})(?: +tcp:\S+)?$/i;
