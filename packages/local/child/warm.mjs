// Prepares a standby for its first event: loads dependencies of the service and the modules of Node that it needed in the environment
// before, which Node loads at their first use in 1 to 20 ms each, and opens the connection to the Runtime API.
import module, { isBuiltin } from 'node:module';

/** Reading one of these loads its module. */
const GLOBALS = {
  'internal/crypto/webcrypto': () => globalThis.crypto.subtle,
  'internal/deps/undici/undici': () => new Headers(),
};

/**
 * @param {readonly string[]} preload `file:` URLs of dependencies
 * @param {{ modules: readonly string[], compiled: string }} known `modules`: as `shim.cjs` reports them; `compiled`: the folder of their
 * compiled code, which Node has from 22.10
 */
export async function warm(preload, { modules, compiled }) {
  module.enableCompileCache?.(compiled);
  for (const file of preload) await import(file);
  module.flushCompileCache?.();
  await globalThis[Symbol.for('sallyport.local.connect')]();
  for (const name of modules) {
    if (isBuiltin(name)) await import(`node:${name}`);
    else GLOBALS[name]?.();
  }
  // The first event does not wait for the garbage of the start.
  globalThis.gc();
}
