import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An address at which a function waits: its request is answered when the test opens it. */
export interface Barrier {
  readonly address: string;
  /** Answers the waiting request; without a waiting request, the next one. */
  open(): void;
  close(): void;
}

/** @param onArrival called when a function begins to wait */
export async function createBarrier(onArrival: (barrier: Barrier) => void = () => {}): Promise<Barrier> {
  const waiting: (() => void)[] = [];
  let opened = 0;
  const server = createServer((_request, response) => {
    waiting.push(() => void response.end());
    onArrival(barrier);
    release();
  }).listen(0, '127.0.0.1');
  const release = () => {
    while (opened > 0 && waiting.length > 0) {
      opened -= 1;
      waiting.shift()?.();
    }
  };
  const barrier: Barrier = {
    get address() {
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
    open() {
      opened += 1;
      release();
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
  await once(server, 'listening');
  return barrier;
}
