import { Authenticated, Optional, SecureApp, type SecureOptions } from '@sallyport/secure';
import { createConnections } from './connections.js';
import { connect, disconnect, say } from './handlers/chat.js';

/** What the service answers, and who may connect and send. */
export function createService(options: SecureOptions, connections = createConnections(process.env)): SecureApp {
  const app = new SecureApp(options);
  app.webSocket('$connect', connect, Authenticated('chat'));
  // Whoever could connect may leave, even when nobody knows any longer who it was.
  app.webSocket('$disconnect', disconnect, Optional());
  app.webSocket('$default', say(connections), Authenticated('chat'));
  return app;
}
