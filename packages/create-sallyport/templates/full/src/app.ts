import { MCP_PATH, mountMcp } from '@sallyport/mcp';
import { Authenticated, Optional, Public, SecureApp, type SecureOptions } from '@sallyport/secure';
import { createConnections } from './connections.js';
import { book, renameBook } from './handlers/books.js';
import { connect, disconnect, say } from './handlers/chat.js';
import { getNote, health, putNote } from './handlers/notes.js';
import { bill, count, fulfil, tidy } from './handlers/orders.js';
import { createToolServer } from './handlers/tools.js';
import { createSignIn } from './sign-in.js';

/** What the service answers and takes. Whatever is called says who may call; who may send events is decided by IAM. */
export function createService(options: SecureOptions, connections = createConnections(process.env)): SecureApp {
  const signIn = createSignIn(process.env);
  const app = new SecureApp({
    // Only clients of the MCP server are told where they get a token.
    challenge: (ctx) => (ctx.request.path === MCP_PATH ? signIn?.challenge(ctx) : undefined),
    // AWS knows a failed record of a stream by its sequence number alone.
    streamFailureIdentifier: 'sequenceNumber',
    ...options,
  });
  app.get('/health', health, Public());
  app.get('/notes/{id}', getNote, Authenticated('notes:read'));
  app.put('/notes/{id}', putNote, Authenticated('notes:write'));

  mountMcp(app, createToolServer(), {
    posture: Authenticated('mcp'),
    ...(signIn && { discovery: signIn.discovery }),
  });

  app.appSyncField('Query', 'book', book, Authenticated('books:read'));
  app.appSyncField('Mutation', 'renameBook', renameBook, Authenticated('books:write'));

  app.webSocket('$connect', connect, Authenticated('chat'));
  // Whoever could connect may leave, even when nobody knows any longer who it was.
  app.webSocket('$disconnect', disconnect, Optional());
  app.webSocket('$default', say(connections), Authenticated('chat'));

  app.queue('orders', fulfil);
  app.queue('bills.fifo', bill);
  app.kinesis('clicks', count);
  app.eventBus({ source: 'aws.events', detailType: 'Scheduled Event' }, tidy);
  return app;
}
