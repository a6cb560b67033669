/** A phrase that is right at its place. */
export interface WordException {
  readonly file: string;
  readonly phrase: string;
  readonly reason: string;
}

/** At most 100. */
export const EXCEPTIONS: readonly WordException[] = [
  { file: 'packages/core/src/request/encoding.ts', phrase: 'there is none', reason: 'a message of the contract fixtures' },
  { file: 'packages/core/src/request/encoding.ts', phrase: 'is no media', reason: 'a message of the contract fixtures' },
  { file: 'packages/core/src/observability/bound-log.ts', phrase: 'refused', reason: 'a message of the contract fixtures' },
];
