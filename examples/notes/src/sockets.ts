import { json, noContent } from '@sallyport/http';
import { Authenticated, Optional, type SecureApp } from '@sallyport/secure';

const canRead = Authenticated('notes:read');

/** Watching notes over a WebSocket. */
export function registerSockets(app: SecureApp): void {
  app.webSocket('$connect', () => noContent(), canRead);
  app.webSocket('$disconnect', () => noContent(), Optional());
  app.webSocket(
    'watch',
    (ctx) => json(200, { watching: ctx.bodyText(), by: ctx.securePrincipal()?.identity }),
    canRead,
  );
  app.webSocket(
    '$default',
    () => json(400, { error: { code: 'notes.unknown_action', message: 'unknown action' } }),
    canRead,
  );
}
