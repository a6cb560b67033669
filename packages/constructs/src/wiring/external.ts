/** A registration of the application that is attached outside this wiring, or a resource outside it that invokes the function. */
export interface ExternalAttachment {
  /**
   * The kind of the trigger, as the inventory names it: `queue`, `s3`, … Required without `path`.
   *
   * @default - no registration
   */
  readonly kind?: string;
  /**
   * The registered name of the handler. A handler of a bus is named by its selector as JSON, `{"source":"billing"}`, a route by `GET /notes`, a WebSocket route
   * by its key as JSON, `"$default"`, a GraphQL field by `Query.note`. All of these must be named.
   *
   * @default - every registration of this kind
   */
  readonly name?: string;
  /**
   * The path in the tree of a resource that invokes the function, or of a construct that contains it: `Notes/Audit`.
   *
   * @default - no resource
   */
  readonly path?: string;
  /** The owner of the attachment and its place. */
  readonly reason: string;
}

/** True if a value is an external attachment with a reason. Without a name a bus would excuse every handler of every bus. */
export function isExternal(value: unknown): boolean {
  const { kind, name, path, reason } = (value ?? {}) as Partial<ExternalAttachment>;
  if (kind === 'event-bus' && name === undefined) return false;
  if (kind === undefined && (path === undefined || name !== undefined)) return false;
  return [kind ?? path, reason].every((one) => typeof one === 'string' && one.trim() !== '');
}
