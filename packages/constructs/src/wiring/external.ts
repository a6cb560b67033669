/** Something that the application registers and that is attached outside this wiring. */
export interface ExternalAttachment {
  /** The kind of the trigger, as the inventory names it: `queue`, `s3`, … */
  readonly kind: string;
  /**
   * What the handler is registered under.
   *
   * @default - every registration of this kind
   */
  readonly name?: string;
  /** Who attaches it, and where. */
  readonly reason: string;
}

/** Whether a value is one, with a reason. */
export function isExternal(value: unknown): boolean {
  const { kind, reason } = (value ?? {}) as Partial<ExternalAttachment>;
  return typeof kind === 'string' && typeof reason === 'string' && reason.trim() !== '';
}
