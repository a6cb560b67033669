/** A phrase that is right at its place. */
export interface WordException {
  readonly file: string;
  readonly phrase: string;
  readonly reason: string;
}

/** At most 100. */
export const EXCEPTIONS: readonly WordException[] = [
  {
    file: 'packages/ratelimit/src/limiter/internal/claims.ts',
    phrase: 'a text',
    reason: 'a message in contract-fixtures/quota',
  },
  {
    file: 'packages/ratelimit/src/middleware/identify.ts',
    phrase: 'a text',
    reason: 'a message in contract-fixtures/quota',
  },
  {
    file: 'packages/ratelimit/README.md',
    phrase: 'a text',
    reason: 'the option fingerprintKey, whose message is in contract-fixtures/quota',
  },
];
