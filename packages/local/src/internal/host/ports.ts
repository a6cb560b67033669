import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { localError } from '../errors.js';
import type { Ports } from './host.js';

/** Where each door is, counted from the console's port. */
const OFFSETS: { readonly [D in keyof Ports]: number } = {
  console: 0,
  'gateway-v2': 1,
  'gateway-v1': 2,
  'load-balancer': 3,
  'function-url': 4,
  websocket: 5,
  graphql: 6,
  aws: 9,
};
const FIRST = 4700;
const TRIES = 10;
/** Tens below the ports that systems give to clients and to servers that ask for any: nobody gets them before the doors listen. */
const ANY = { first: 1_200, last: 3_200 } as const;

/**
 * Ten ports in a row that are free: from the one that is asked for, else from 4700 or one of the next ten groups.
 *
 * @param wanted `0`: any ports, for tests
 * @throws FrameworkError `local.port_taken`
 */
export async function findPorts(wanted: number | undefined): Promise<Ports> {
  for (const first of firstPorts(wanted)) {
    const ports = Object.fromEntries(Object.entries(OFFSETS).map(([door, offset]) => [door, first + offset]));
    const free = await Promise.all(Object.values(ports).map(isFree));
    if (free.every((one) => one)) return ports as unknown as Ports;
    if (wanted === first) {
      const taken = Object.values(ports).filter((_, index) => !free[index]);
      throw localError('local.port_taken', `port ${taken.join(', ')} is taken: name another with --port`);
    }
  }
  throw localError(
    'local.port_taken',
    `the ports ${FIRST} to ${FIRST + TRIES * 10 - 1} are taken: name others with --port`,
  );
}

function firstPorts(wanted: number | undefined): readonly number[] {
  if (wanted === 0) return Array.from({ length: TRIES }, () => randomInt(ANY.first, ANY.last) * 10);
  return wanted === undefined ? Array.from({ length: TRIES }, (_, index) => FIRST + index * 10) : [wanted];
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
