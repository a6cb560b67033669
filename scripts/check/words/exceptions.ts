/** A phrase that is right at its place. */
export interface WordException {
  readonly file: string;
  readonly phrase: string;
  readonly reason: string;
}

/** At most 100. */
export const EXCEPTIONS: readonly WordException[] = [];
