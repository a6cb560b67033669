/** One HTTP request, as a client sends it. */
export interface DoorRequest {
  readonly method: string;
  /** With the query, still encoded. */
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  readonly sourceIp: string;
  /** Who the request is from, for the page. */
  readonly as?: string;
  /** The client context of an invocation by hand. */
  readonly clientContext?: unknown;
  /** Settings of the builder next to the request itself. */
  readonly more?: Readonly<Record<string, unknown>>;
}
