import { buildWebSocketEvent } from '@sallyport/testkit';

/** Events, and the bundle's expected responses without configuration. */
export const CHAT = [
  {
    name: 'that nobody may connect',
    event: buildWebSocketEvent({ routeKey: '$connect' }),
    answer: { statusCode: 401 },
  },
  {
    // The bundle contains the AWS client, which cannot read without a region and a table.
    name: 'no message while it cannot know who sends it',
    event: buildWebSocketEvent({ routeKey: '$default', body: 'hello' }),
    answer: { isBase64Encoded: false },
    holds: 'connections.store_',
  },
];
