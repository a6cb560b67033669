import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Environment, systemClock } from '@sallyport/core';
import { isStringMap, pause, trimmedText } from '@sallyport/core/internal';
import { integer, invalidConfiguration, kind, oneOf, text } from '@sallyport/core/options';
import { rejectedIn } from './internal/partial-success.js';

/** The encoding of requests: `OTEL_EXPORTER_OTLP_PROTOCOL`. */
export type OtlpProtocol = 'http/protobuf' | 'http/json';

/** Options that the exporters for traces and for metrics have in common. */
export interface OtlpOptions {
  /**
   * The base address of the collector; the path of the signal is appended: `http://localhost:4318`. Default: the variable
   * `OTEL_EXPORTER_OTLP_ENDPOINT`, or `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`, which is used unchanged.
   */
  readonly endpoint?: string | undefined;
  /** Headers of every request, such as an API key. Default: the variable `OTEL_EXPORTER_OTLP_HEADERS` (`name=value,name=value`). */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The encoding of requests. Default: the variable `OTEL_EXPORTER_OTLP_PROTOCOL`, else `http/protobuf`. */
  readonly protocol?: OtlpProtocol | undefined;
  /** Milliseconds that the answer of the invocation waits for the collector; default 50. */
  readonly exportTimeoutMs?: number | undefined;
}

/** Validators of {@link OtlpOptions}, for the options of each exporter. */
export const OTLP_KINDS = {
  endpoint: text('an http or https URL without user and password'),
  headers: kind<Readonly<Record<string, string>>>('an object of strings', isStringMap),
  protocol: oneOf('http/protobuf', 'http/json'),
  exportTimeoutMs: integer(1, 60_000, 'milliseconds'),
};

/** A signal of OTLP: its path, and its part of the names of variables. */
export interface OtlpSignal {
  /** `/v1/traces`. */
  readonly path: string;
  /** `TRACES`. */
  readonly variable: string;
}

/** The result of one request. */
export interface Sent {
  /** Accepted; rejected, not to be sent again; or failed. */
  readonly outcome: 'accepted' | 'rejected' | 'failed';
  /** Spans or points that the receiver rejected although it accepted the request. */
  readonly rejected: number;
}

const REJECTED: Sent = { outcome: 'rejected', rejected: 0 };
const FAILED: Sent = { outcome: 'failed', rejected: 0 };

const compress = promisify(gzip);

/** Bodies above this size are compressed. */
const COMPRESS_BYTES = 1024;

const CONTENT_TYPE: Readonly<Record<OtlpProtocol, string>> = {
  'http/protobuf': 'application/x-protobuf',
  'http/json': 'application/json',
};

/** Statuses after which OTLP allows a client to send again (https://opentelemetry.io/docs/specs/otlp/#retryable-response-codes). */
const RETRYABLE: readonly number[] = [429, 502, 503, 504];

/** Sends requests of one signal to a collector. Every request has a deadline, and follows no redirect. */
export class OtlpSender {
  /** The encoding of the bodies. */
  readonly protocol: OtlpProtocol;
  /** Milliseconds of `send` without an own limit. */
  readonly timeoutMs: number;
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;

  /** @throws FrameworkError `app.invalid_configuration` for a missing or malformed address, protocol or header */
  constructor(options: OtlpOptions, signal: OtlpSignal, environment: Environment = process.env) {
    this.#url = urlOf(options, signal, environment);
    this.protocol = protocolOf(options, environment);
    this.timeoutMs = options.exportTimeoutMs ?? 50;
    const given = options.headers ?? parseHeaders(trimmedText(environment.OTEL_EXPORTER_OTLP_HEADERS));
    this.#headers = checkedHeaders({ ...given, 'content-type': CONTENT_TYPE[this.protocol] });
  }

  /** Sends one body; a second time after a status that allows it, if its pause fits into the time. Never rejects. */
  async send(body: Uint8Array | string, timeoutMs = this.timeoutMs): Promise<Sent> {
    const endsAt = performance.now() + timeoutMs;
    try {
      const isLarge = body.length > COMPRESS_BYTES;
      const content = isLarge ? await compress(body) : body;
      const headers = isLarge ? { ...this.#headers, 'content-encoding': 'gzip' } : this.#headers;
      const signal = AbortSignal.timeout(Math.max(timeoutMs, 1));
      const first = await this.#post(content, headers, signal);
      if (first.ok) return first.sent;
      const pauseMs = retryAfterMs(first.retryAfter);
      if (!RETRYABLE.includes(first.status)) return REJECTED;
      if (performance.now() + pauseMs >= endsAt) return FAILED;
      await pause(systemClock, pauseMs, signal);
      const second = await this.#post(content, headers, signal);
      return second.ok ? second.sent : FAILED;
    } catch {
      return FAILED;
    }
  }

  async #post(body: Uint8Array | string, headers: Readonly<Record<string, string>>, signal: AbortSignal) {
    const response = await fetch(this.#url, { method: 'POST', headers, body, signal, redirect: 'manual' });
    // An unread body would keep the connection from being used again.
    const answer = Buffer.from(await response.arrayBuffer());
    const { ok, status, headers: given } = response;
    const isJson = given.get('content-type')?.startsWith('application/json') ?? false;
    const sent: Sent = { outcome: 'accepted', rejected: ok ? rejectedIn(answer, isJson) : 0 };
    return { ok, status, retryAfter: given.get('retry-after'), sent };
  }
}

/** Seconds or a date (RFC 9110 section 10.2.3) in milliseconds; without the header no pause fits. */
function retryAfterMs(value: string | null): number {
  if (value === null) return Number.POSITIVE_INFINITY;
  const seconds = Number(value);
  const ms = Number.isNaN(seconds) ? Date.parse(value) - Date.now() : seconds * 1000;
  return Number.isNaN(ms) ? Number.POSITIVE_INFINITY : Math.max(ms, 0);
}

/** https://opentelemetry.io/docs/specs/otel/protocol/exporter/#endpoint-urls-for-otlphttp */
function urlOf(options: OtlpOptions, { path, variable }: OtlpSignal, environment: Environment): string {
  const own = options.endpoint === undefined && trimmedText(environment[`OTEL_EXPORTER_OTLP_${variable}_ENDPOINT`]);
  const base = options.endpoint ?? trimmedText(environment.OTEL_EXPORTER_OTLP_ENDPOINT);
  const url = own || (base === '' ? '' : base.replace(/\/*$/, path));
  const parsed = url && URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.username !== '' || parsed.password !== '') {
    throw invalidConfiguration(
      'option "endpoint" or the variable OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https URL without user and password',
    );
  }
  return parsed.href;
}

function protocolOf({ protocol }: OtlpOptions, environment: Environment): OtlpProtocol {
  const name = protocol ?? (trimmedText(environment.OTEL_EXPORTER_OTLP_PROTOCOL) || 'http/protobuf');
  if (name === 'http/protobuf' || name === 'http/json') return name;
  throw invalidConfiguration(
    'option "protocol" or the variable OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or http/json',
  );
}

/** `name=value` pairs as in W3C baggage: values are percent-encoded (https://opentelemetry.io/docs/specs/otel/protocol/exporter/). */
function parseHeaders(text: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const pair of text.split(',').filter((part) => part.trim() !== '')) {
    const at = pair.indexOf('=');
    // The value of a header is a secret: the error does not contain it.
    if (at < 1)
      throw invalidConfiguration('the variable OTEL_EXPORTER_OTLP_HEADERS must be a list of name=value pairs');
    headers[pair.slice(0, at).trim()] = decoded(pair.slice(at + 1).trim());
  }
  return headers;
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function checkedHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  try {
    new Headers(headers);
    return headers;
  } catch {
    throw invalidConfiguration(
      'option "headers" or the variable OTEL_EXPORTER_OTLP_HEADERS has an invalid name or value',
    );
  }
}
