import { toWire } from '../fixtures/json.js';
import type { ContractRuntime } from './protocol.js';

/** A runtime in this process, seen through the same JSON as a foreign one. */
export function inProcess(runtime: ContractRuntime): ContractRuntime {
  return {
    hello: async (message) => toWire(await runtime.hello(toWire(message))),
    run: async (message) => toWire(await runtime.run(toWire(message))),
    bye: () => runtime.bye(),
    // It keeps nothing between fixtures, so there is nothing to start afresh.
    restart: async () => {},
  };
}
