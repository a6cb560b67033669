import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type BundleOptions,
  bundleFunction,
  type InvocationResult,
  type Runtime,
  type RuntimeOptions,
  startRuntime,
} from '../../src/index.js';

const FUNCTIONS = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), 'functions');

/** The kinds of function that every case runs on; the first kind does not use Sallyport. */
export const KINDS = [
  ['a hand-written function', 'hand-written.mjs'],
  ['createApp', 'open.ts'],
  ['SecureApp', 'secure.ts'],
] as const;

/** Stops the processes that the tests of a file started, including tests that timed out. */
const cleanUps: (() => unknown)[] = [];
afterAll(() => Promise.all(cleanUps.splice(0).map((cleanUp) => cleanUp())));

export type ServeOptions = Omit<RuntimeOptions, 'bundle' | 'handler'> & { readonly bundle?: BundleOptions };

/** Bundles a function of `functions/` and starts it. It ends with the tests of the file at the latest. */
export async function serve(file: string, handler: string, options: ServeOptions = {}): Promise<Runtime> {
  const { bundle, ...rest } = options;
  const { file: built, remove } = await bundleFunction(join(FUNCTIONS, file), bundle);
  cleanUps.push(remove);
  const runtime = await startRuntime({ ...rest, bundle: built, handler });
  cleanUps.push(() => runtime.stop());
  return runtime;
}

export interface Gate {
  readonly url: string;
  /** Answers all waiting and all future requests. */
  open(): void;
}

/** A server that answers only after it is opened, so that a function does not depend on timing. */
export async function createGate(): Promise<Gate> {
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const server = createServer((_request, response) => void opened.then(() => response.end()));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  cleanUps.push(() => server.close().closeAllConnections());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    open,
  };
}

/** A streamed answer cut at its eight NUL bytes. */
export function splitStream({ body }: InvocationResult): { readonly prelude: unknown; readonly payload: Buffer } {
  const delimiter = body.indexOf(Buffer.alloc(8));
  if (delimiter < 0) throw new Error(`no delimiter in ${JSON.stringify(body.toString('utf8').slice(0, 200))}`);
  return {
    prelude: JSON.parse(body.subarray(0, delimiter).toString('utf8')),
    payload: body.subarray(delimiter + 8),
  };
}

/** The content of the error trailers of a streamed answer; `undefined` if absent. */
export function errorTrailers({
  trailers,
}: InvocationResult): { readonly type: string; readonly body: string } | undefined {
  const type = trailers['lambda-runtime-function-error-type'];
  const body = trailers['lambda-runtime-function-error-body'];
  if (type === undefined || body === undefined) return undefined;
  return { type, body: Buffer.from(body, 'base64').toString('utf8') };
}
