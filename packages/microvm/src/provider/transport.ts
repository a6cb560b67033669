/** A header, or an entry of a list of headers. */
export type HeaderEntry = readonly [name: string, value: string];

/** Timeouts of a request, in milliseconds. */
export interface TransportTimes {
  /** For the connection. */
  readonly connectMs: number;
  /** For the first byte of the response. */
  readonly firstByteMs: number;
  /** Between two chunks of the response. */
  readonly idleMs: number;
}

/** One request to the program in a machine. Host and path are separate, so that no path can change the host. */
export interface TransportRequest {
  /** The endpoint of the machine. */
  readonly host: string;
  /** The method in upper case. */
  readonly method: string;
  /** Path and query, sent unchanged; begins with `/`. */
  readonly path: string;
  /** Header names and values, unchanged. */
  readonly headers: readonly HeaderEntry[];
  /** The bytes; empty if there is no body. */
  readonly body: Uint8Array;
  /** Timeouts of the request. */
  readonly times: TransportTimes;
  /** Returns the headers that authorize the request, with the token. They must be sent only to the machine. */
  authorize(): readonly HeaderEntry[];
}

/** The response of the program in a machine. */
export interface TransportResponse {
  /** The HTTP status. */
  readonly status: number;
  /** Header names and values, unchanged, including repeated headers. */
  readonly headers: readonly HeaderEntry[];
  /** The bytes, unchanged and not decompressed. Leaving the loop ends the request. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Sends requests to machines over TLS. It checks certificates and never follows redirects. */
export interface MicrovmTransport {
  /**
   * Sends a request.
   *
   * @throws MicrovmError `microvm.workload_unreachable`, `microvm.workload_timeout`, `microvm.response_too_large`, `microvm.upgrade_unsupported`
   */
  send(request: TransportRequest, signal: AbortSignal): Promise<TransportResponse>;
}
