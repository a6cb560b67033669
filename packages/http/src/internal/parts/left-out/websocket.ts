import { leftOut, leftOutOption, leftOutSurface } from '@sallyport/core/internal';
import { parsed } from '@sallyport/core/options';
import type * as part from '../websocket.js';

const CONDITION = 'sallyport-no-websocket';

export const WEBSOCKET_KINDS: typeof part.WEBSOCKET_KINDS = {
  webSocketClientFactory: /* @__PURE__ */ leftOutOption(CONDITION),
  webSocketEndpoint: /* @__PURE__ */ leftOutOption(CONDITION),
};

/** `false` asks for nothing. */
export const WEBSOCKET_SUPPORT_KIND: typeof part.WEBSOCKET_SUPPORT_KIND = /* @__PURE__ */ parsed<boolean>(
  'false',
  (value, name) => {
    if (value !== false) throw leftOut(`option "${name}"`, CONDITION);
    return false;
  },
);

export const createWebSocketSurface: typeof part.createWebSocketSurface = () =>
  leftOutSurface('app.webSocket()', CONDITION);
