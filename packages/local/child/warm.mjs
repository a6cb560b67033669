// Prepares a standby for its first event: opens the connection to the Runtime API, and loads the modules of Node that the service needed
// in the environment before. Node loads them at their first use, which takes 1 to 20 ms each.
import { isBuiltin } from 'node:module';

/** Reading one of these loads the module behind it. */
const GLOBALS = {
  'internal/crypto/webcrypto': () => globalThis.crypto.subtle,
  'internal/deps/undici/undici': () => new Headers(),
};

/** @param names as `shim.cjs` reports them */
export async function warm(names) {
  await globalThis[Symbol.for('sallyport.local.connect')]();
  for (const name of names) {
    if (isBuiltin(name)) await import(`node:${name}`);
    else GLOBALS[name]?.();
  }
}
