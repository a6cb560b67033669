import { Authenticated, Optional, SecureApp, type SecureOptions } from '@sallyport/secure';
import { createConnections } from './connections.js';
import { connect, disconnect, say } from './handlers/chat.js';

/** Creates the service: its WebSocket routes with their postures. */
export function createService(options: SecureOptions, connections = createConnections(process.env)): SecureApp {
  const app = new SecureApp(options);
  app.webSocket('$connect', connect, Authenticated('chat'));
  // A connected client may always disconnect, even if its principal has expired.
  app.webSocket('$disconnect', disconnect, Optional());
  app.webSocket('$default', say(connections), Authenticated('chat'));
  return app;
}
