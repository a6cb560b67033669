import type { App } from '@sallyport/dispatch/app';
import { json, noContent } from '@sallyport/http';

/** Watching notes over a WebSocket. */
export function registerSockets(app: App): void {
  app.webSocket('$connect', () => noContent());
  app.webSocket('$disconnect', () => noContent());
  app.webSocket('watch', (ctx) => json(200, { watching: ctx.bodyText(), by: ctx.asWebSocket()?.connectionId }));
  app.webSocket('$default', () => json(400, { error: { code: 'notes.unknown_action', message: 'unknown action' } }));
}
