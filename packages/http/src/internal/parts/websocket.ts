import { createLateSurface, type LateSurface } from '@sallyport/core/internal';
import { boolean, func, parsed } from '@sallyport/core/options';
import type { Kernel } from '../../pipeline/kernel.js';
import { configuredEndpoint, type WebSocketClientFactory } from '../../websocket/internal/transport.js';
import { toClients, WebSocketSurface, type WebSocketSurfaceOptions } from '../../websocket/surface.js';

/** Validators of the options that only WebSocket events read. */
export const WEBSOCKET_KINDS = {
  webSocketClientFactory: /* @__PURE__ */ func<WebSocketClientFactory>(),
  webSocketEndpoint: /* @__PURE__ */ parsed<string>(
    'an http or https URL',
    (value) => configuredEndpoint(value, {}) ?? '',
  ),
};

/** The option `webSocketSupport` of the secure container. */
export const WEBSOCKET_SUPPORT_KIND = boolean;

/**
 * The WebSocket surface of a container. Its options are checked now.
 *
 * @throws FrameworkError `app.invalid_configuration` for a configured endpoint that is not a URL
 */
export function createWebSocketSurface(
  kernel: Kernel,
  options: WebSocketSurfaceOptions,
): LateSurface<WebSocketSurface> {
  const clients = toClients(kernel, options);
  return createLateSurface(['websocket'], () => new WebSocketSurface(kernel, options, clients));
}
