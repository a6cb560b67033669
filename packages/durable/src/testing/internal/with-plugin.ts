import { extname } from 'node:path';

const VARIABLE = 'DURABLE_EXECUTION_PLUGINS';
let users = 0;
let before: string | undefined;

/** Runs work during which the SDK loads the plugin that observes steps. */
export async function withPlugin<T>(run: () => Promise<T>): Promise<T> {
  if (users === 0) {
    before = process.env[VARIABLE];
    const own = new URL(`plugin${extname(import.meta.url)}`, import.meta.url).href;
    process.env[VARIABLE] = before ? `${before},${own}` : own;
  }
  users += 1;
  try {
    return await run();
  } finally {
    users -= 1;
    if (users === 0) {
      if (before === undefined) delete process.env[VARIABLE];
      else process.env[VARIABLE] = before;
    }
  }
}
