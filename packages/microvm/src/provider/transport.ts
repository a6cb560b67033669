/** A header, or an entry of a list of headers. */
export type HeaderEntry = readonly [name: string, value: string];

/** How long each part of a request may take, in milliseconds. */
export interface TransportTimes {
  /** Until the connection is there. */
  readonly connectMs: number;
  /** Until the first byte of the answer. */
  readonly firstByteMs: number;
  /** Between two pieces of the answer. */
  readonly idleMs: number;
}

/** One request to the program in a machine. Host and path are apart, so that no path can change the host. */
export interface TransportRequest {
  /** The endpoint of the machine. */
  readonly host: string;
  /** The method in upper case. */
  readonly method: string;
  /** Path and query as they are sent; begins with `/`. */
  readonly path: string;
  /** Names and values as they came. */
  readonly headers: readonly HeaderEntry[];
  /** The bytes; empty for none. */
  readonly body: Uint8Array;
  /** How long each part may take. */
  readonly times: TransportTimes;
  /** The headers that open the machine, with the token. They must reach the machine and nothing else. */
  authorize(): readonly HeaderEntry[];
}

/** The answer of the program in a machine. */
export interface TransportResponse {
  /** The HTTP status. */
  readonly status: number;
  /** As they came, repeated ones too. */
  readonly headers: readonly HeaderEntry[];
  /** The bytes as they came; nothing is decompressed. Leaving the loop ends the request. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Carries requests to machines: over TLS with a checked certificate, and never to where an answer redirects. */
export interface MicrovmTransport {
  /**
   * Sends a request.
   *
   * @throws MicrovmError `microvm.workload_unreachable`, `microvm.workload_timeout`, `microvm.response_too_large`, `microvm.upgrade_unsupported`
   */
  send(request: TransportRequest, signal: AbortSignal): Promise<TransportResponse>;
}
