/** The registration that an invocation reached. */
export interface Route {
  /** The kind of registration: an HTTP route, a GraphQL field or a WebSocket route. */
  readonly surface: 'http' | 'appsync' | 'websocket';
  /** `''` on websocket. */
  readonly method: string;
  /** Canonical pattern, `Query.note`, or the route key. */
  readonly pattern: string;
  /** True if the operation streams its answers; HTTP only. */
  readonly streaming?: boolean | undefined;
}
