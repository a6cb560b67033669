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
  {
    file: 'packages/local/src/internal/doors/websocket.ts',
    phrase: 'Going away',
    reason: 'The reason that API Gateway sends with the WebSocket close code 1001.',
  },
  {
    file: 'packages/vectors/src/store/internal/filters.ts',
    phrase: 'a text',
    reason: 'a message of the contract fixtures',
  },
  {
    file: 'packages/vectors/src/store/internal/filters.ts',
    phrase: 'texts',
    reason: 'a message of the contract fixtures',
  },
  { file: 'packages/vectors/src/store/validators.ts', phrase: 'a text', reason: 'a message of the contract fixtures' },
  { file: 'packages/vectors/src/store/validators.ts', phrase: 'want', reason: 'a message of the contract fixtures' },
  { file: 'packages/mcp/README.md', phrase: 'take', reason: 'the name of a function: `an object with take()`' },
  {
    file: 'packages/migrate/src/mapping/internal/built-in.ts',
    phrase: 'behind',
    reason: 'a message in test/golden, which is kept',
  },
  {
    file: 'packages/migrate/src/rules/internal/secure.ts',
    phrase: 'what is registered',
    reason: 'a message in test/golden, which is kept',
  },
  {
    file: 'packages/migrate/src/rules/internal/secure.ts',
    phrase: 'take',
    reason: 'a message in test/golden, which is kept',
  },
  {
    file: 'packages/migrate/src/rules/internal/strict.ts',
    phrase: 'is one',
    reason: 'a message in test/golden, which is kept',
  },
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
  { file: 'packages/dispatch/src/internal/plan.ts', phrase: 'refused', reason: 'a message of the contract fixtures' },
  { file: 'docs/front-doors.md', phrase: 'stay', reason: 'the id of a contract fixture in a link' },
  {
    file: 'packages/triggers/src/kinds/custom-resource.ts',
    phrase: 'be told',
    reason: 'contract-fixtures/triggers/custom-resource-foreign-host.json has this message',
  },
  {
    file: 'packages/triggers/src/kinds/firehose.ts',
    phrase: 'comes twice',
    reason: 'contract-fixtures/triggers/firehose-repeated.json has this message',
  },
];
