import { boolean, defineOptions } from '@sallyport/core/options';
import { toOtlpJson } from '../encoding/json.js';
import { encode } from '../encoding/protobuf.js';
import { TRACES, toTraces } from '../encoding/traces.js';
import { type ExportCounts, noCounts, type SpanBatch, type SpanExporter } from './exporter.js';
import { OTLP_KINDS, type OtlpOptions, OtlpSender } from './sender.js';

/** Options of {@link otlpExporter}. */
export interface OtlpExporterOptions extends OtlpOptions {
  /** True if the answer does not wait for the collector: for an extension on the same machine that keeps what it received. Default `false`. */
  readonly background?: boolean | undefined;
}

/** Validators and defaults for {@link OtlpExporterOptions}. */
export const OTLP_EXPORTER_OPTIONS = defineOptions<OtlpExporterOptions>()({ ...OTLP_KINDS, background: boolean });

const TRACE_SIGNAL = { path: '/v1/traces', variable: 'TRACES' };

/** Bytes of one request; collectors accept at least 4 MiB by default. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** Bytes that wait for the next invocation. */
const MAX_KEPT_BYTES = 1024 * 1024;

/**
 * Sends spans over HTTP to an OpenTelemetry collector or a vendor. The answer of the invocation waits at most `exportTimeoutMs`; spans
 * that were not accepted in this time are repeated at the start of the next invocation, then counted as dropped.
 *
 * @throws FrameworkError `app.invalid_configuration` for a missing or malformed address, protocol or header, and for an unknown key
 * @example tracing({ service: 'orders', exporter: otlpExporter({ endpoint: 'http://localhost:4318' }) });
 */
export function otlpExporter(options: OtlpExporterOptions = {}): SpanExporter {
  return new OtlpExporter(OTLP_EXPORTER_OPTIONS.parse(options));
}

interface Body {
  readonly content: Uint8Array | string;
  readonly bytes: number;
  readonly spans: number;
}

class OtlpExporter implements SpanExporter {
  readonly joinsPlatform = false;
  readonly counts: ExportCounts = noCounts();
  readonly waitMs: number;
  readonly #sender: OtlpSender;
  readonly #isBackground: boolean;
  /** Bodies that were not accepted in time. */
  #kept: Body[] = [];
  #keptBytes = 0;

  constructor({ background = false, ...options }: OtlpExporterOptions) {
    this.#sender = new OtlpSender(options, TRACE_SIGNAL);
    this.#isBackground = background;
    this.waitMs = background ? 0 : this.#sender.timeoutMs;
  }

  begin(): void {
    const kept = this.#kept;
    this.#kept = [];
    this.#keptBytes = 0;
    for (const body of kept) void this.#send(body, false);
  }

  export(batch: SpanBatch): Promise<unknown> | undefined {
    const sent = Promise.all(this.#toBodies(batch).map((body) => this.#send(body, true)));
    return this.#isBackground ? undefined : sent;
  }

  #toBodies(batch: SpanBatch): Body[] {
    const { resource, scope, spans } = batch;
    const data = toTraces(resource, scope, spans);
    const content = this.#sender.protocol === 'http/json' ? toOtlpJson(data) : encode(TRACES, data);
    const bytes = Buffer.byteLength(content);
    if (bytes <= MAX_BODY_BYTES || spans.length < 2) return [{ content, bytes, spans: spans.length }];
    const half = spans.length >> 1;
    const parts = [spans.slice(0, half), spans.slice(half)];
    return parts.flatMap((part) => this.#toBodies({ ...batch, spans: part }));
  }

  async #send(body: Body, isFirst: boolean): Promise<void> {
    const { counts } = this;
    const sent = await this.#sender.send(body.content);
    if (sent.outcome !== 'accepted') counts.failedExports = (counts.failedExports ?? 0) + 1;
    if (sent.outcome === 'accepted') {
      // The rejected part must not be sent again: https://opentelemetry.io/docs/specs/otlp/#partial-success
      const rejected = Math.min(sent.rejected, body.spans);
      counts.sentSpans += body.spans - rejected;
      counts.droppedSpans += rejected;
      counts.rejectedSpans = (counts.rejectedSpans ?? 0) + rejected;
      counts.sentBytes += body.bytes;
    } else if (sent.outcome === 'failed' && isFirst && this.#keptBytes + body.bytes <= MAX_KEPT_BYTES) {
      this.#kept.push(body);
      this.#keptBytes += body.bytes;
    } else counts.droppedSpans += body.spans;
  }
}
