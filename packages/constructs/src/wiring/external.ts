/** A registration of the application that is attached outside this wiring. */
export interface ExternalAttachment {
  /** The kind of the trigger, as the inventory names it: `queue`, `s3`, … */
  readonly kind: string;
  /**
   * The registered name of the handler. A handler of a bus is named by its selector as JSON, `{"source":"billing"}`, and must be named.
   *
   * @default - every registration of this kind
   */
  readonly name?: string;
  /** The owner of the attachment and its place. */
  readonly reason: string;
}

/** True if a value is an external attachment with a reason. Without a name a bus would excuse every handler of every bus. */
export function isExternal(value: unknown): boolean {
  const { kind, name, reason } = (value ?? {}) as Partial<ExternalAttachment>;
  if (kind === 'event-bus' && name === undefined) return false;
  return typeof kind === 'string' && typeof reason === 'string' && reason.trim() !== '';
}
