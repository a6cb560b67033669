import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { durableExecutionPluginProvider } from './plugin.js';

const PROVIDER = 'sallyport.durable.testing.plugin/1';
const VARIABLE = 'DURABLE_EXECUTION_PLUGINS';
let users = 0;
let before: string | undefined;

/** Runs work during which the SDK loads the plugin that observes steps. */
export async function withPlugin<T>(run: () => Promise<T>): Promise<T> {
  if (users === 0) {
    before = process.env[VARIABLE];
    const own = pluginUrl();
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

let written: string | undefined;

/** The SDK loads a plugin by the URL of its file. A bundle has no such file, so one is written that reads the plugin of the bundle. */
function pluginUrl(): string {
  const own = new URL(`plugin${extname(import.meta.url)}`, import.meta.url);
  if (existsSync(own)) return own.href;
  if (written === undefined) {
    const folder = mkdtempSync(join(tmpdir(), 'sallyport-durable-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'plugin.mjs');
    Object.assign(globalThis, { [Symbol.for(PROVIDER)]: durableExecutionPluginProvider });
    writeFileSync(
      file,
      `export const durableExecutionPluginProvider = globalThis[Symbol.for(${JSON.stringify(PROVIDER)})];\n`,
    );
    written = pathToFileURL(file).href;
  }
  return written;
}
