import { buildWebSocketEvent } from '@sallyport/testkit';

/** Events, and what the bundle has to answer without any configuration. */
export const CHAT = [
  {
    name: 'that nobody may connect',
    event: buildWebSocketEvent({ routeKey: '$connect' }),
    answer: { statusCode: 401 },
  },
  {
    // The client of AWS is in the bundle; without a region and a table it cannot read.
    name: 'no message while it cannot know who sends it',
    event: buildWebSocketEvent({ routeKey: '$default', body: 'hello' }),
    answer: { isBase64Encoded: false },
    holds: 'connections.store_',
  },
];
