/** A phrase that is right at its place. */
export interface WordException {
  readonly file: string;
  readonly phrase: string;
  readonly reason: string;
}

/** At most 100. */
export const EXCEPTIONS: readonly WordException[] = [
  {
    file: 'packages/local/src/internal/doors/websocket.ts',
    phrase: 'Going away',
    reason: 'The reason that API Gateway sends with the WebSocket close code 1001.',
  },
];
