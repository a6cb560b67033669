import { Authenticated, Public, SecureApp, type SecureOptions } from '@sallyport/secure';
import { getNote, health, putNote } from './handlers/notes.js';

/** Creates the service: its routes with their postures. */
export function createService(options: SecureOptions): SecureApp {
  const app = new SecureApp(options);
  app.get('/health', health, Public());
  app.get('/notes/{id}', getNote, Authenticated('notes:read'));
  app.put('/notes/{id}', putNote, Authenticated('notes:write'));
  return app;
}
