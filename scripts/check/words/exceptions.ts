/** A phrase that is right at its place. */
export interface WordException {
  readonly file: string;
  readonly phrase: string;
  readonly reason: string;
}

/** At most 100. */
export const EXCEPTIONS: readonly WordException[] = [
  {
    file: 'packages/core/src/request/encoding.ts',
    phrase: 'there is none',
    reason: 'a message of the contract fixtures',
  },
  {
    file: 'packages/core/src/request/encoding.ts',
    phrase: 'is no media',
    reason: 'a message of the contract fixtures',
  },
  {
    file: 'packages/core/src/observability/bound-log.ts',
    phrase: 'refused',
    reason: 'a message of the contract fixtures',
  },
  { file: 'packages/core/README.md', phrase: 'take', reason: 'the name of a function: `an object with take()`' },
  { file: 'packages/secure/src/postures/posture.ts', phrase: 'forget', reason: 'a message of the contract fixtures' },
  {
    file: 'packages/http/src/doors/internal/event.ts',
    phrase: 'is no request',
    reason: 'a message of the contract fixtures',
  },
  {
    file: 'packages/http/src/doors/internal/event.ts',
    phrase: 'of its own',
    reason: 'a message of the contract fixtures',
  },
  {
    file: 'packages/dispatch/src/explain/row-check.ts',
    phrase: 'hand it on',
    reason: 'a message of the contract fixtures',
  },
  { file: 'packages/dispatch/src/internal/plan.ts', phrase: 'refused', reason: 'a message of the contract fixtures' },
  { file: 'docs/front-doors.md', phrase: 'stay', reason: 'the id of a contract fixture in a link' },
];
