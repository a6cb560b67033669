import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createMemoryJobLedger } from '@sallyport/jobs';
import { SecureApp } from '@sallyport/secure';
import { createJournal, type Journal, registerEvents } from '../src/events.js';
import { MemoryNotes } from '../src/notes.js';

/** The sources of the notes, whose orders go to a warehouse that does not answer while the folder has the file `warehouse-is-down`. */
export function createOrdersHandler(folder: string): unknown {
  const orders: Pick<Journal['orders'], 'push'> = {
    push(id) {
      if (existsSync(join(folder, 'warehouse-is-down'))) throw new Error('the warehouse does not answer');
      appendFileSync(join(folder, 'fulfilled'), `${id}\n`);
      return 1;
    },
  };
  const app = new SecureApp({ principalResolver: () => null });
  registerEvents(
    app,
    new MemoryNotes(),
    { ...createJournal(), ...{ orders: orders as string[] } },
    createMemoryJobLedger(),
  );
  return app.handleLambda;
}
