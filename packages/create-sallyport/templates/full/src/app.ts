import { MCP_PATH, mountMcp } from '@sallyport/mcp';
import { Authenticated, Optional, Public, SecureApp, type SecureOptions } from '@sallyport/secure';
import { createConnections } from './connections.js';
import { book, renameBook } from './handlers/books.js';
import { connect, disconnect, say } from './handlers/chat.js';
import { getNote, health, putNote } from './handlers/notes.js';
import { bill, count, fulfil, tidy } from './handlers/orders.js';
import { createToolServer } from './handlers/tools.js';
import { createSignIn } from './sign-in.js';

/** Creates the service. Operations have postures; event handlers have no postures, because IAM controls access to the sources. */
export function createService(options: SecureOptions, connections = createConnections(process.env)): SecureApp {
  const signIn = createSignIn(process.env);
  const app = new SecureApp({
    // Only clients of the MCP server receive the address of the metadata document.
    challenge: (ctx) => (ctx.request.path === MCP_PATH ? signIn?.challenge(ctx) : undefined),
    // AWS identifies a failed record of a stream only by its sequence number.
    streamFailureIdentifier: 'sequenceNumber',
    ...options,
  });
  app.get('/health', health, Public());
  app.get('/notes/{id}', getNote, Authenticated('notes:read'));
  app.put('/notes/{id}', putNote, Authenticated('notes:write'));

  const discovery = signIn?.discovery;
  mountMcp(app, createToolServer(), { posture: Authenticated('mcp'), ...(discovery && { discovery }) });

  app.appSyncField('Query', 'book', book, Authenticated('books:read'));
  app.appSyncField('Mutation', 'renameBook', renameBook, Authenticated('books:write'));

  app.webSocket('$connect', connect, Authenticated('chat'));
  // A connected client may always disconnect, even if its principal has expired.
  app.webSocket('$disconnect', disconnect, Optional());
  app.webSocket('$default', say(connections), Authenticated('chat'));

  app.queue('orders', fulfil);
  app.queue('bills.fifo', bill);
  app.kinesis('clicks', count);
  app.eventBus({ ruleName: 'nightly' }, tidy);
  return app;
}
