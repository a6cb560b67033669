import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { localError } from '../errors.js';

/** The port of each door, relative to the console's port. */
const OFFSETS = {
  console: 0,
  'gateway-v2': 1,
  'gateway-v1': 2,
  'load-balancer': 3,
  'function-url': 4,
  websocket: 5,
  graphql: 6,
  aws: 9,
};

/** The ports of a run. `0` for a door that is not open. */
export type Ports = Readonly<typeof OFFSETS>;
const FIRST = 4700;
const TRIES = 10;
/** A range below the ephemeral ports of operating systems: no other process is assigned these ports before the doors listen. */
const ANY = { first: 1_200, last: 3_200 } as const;

/**
 * Finds ten free ports in a row: from the requested port, or from 4700 or one of the next ten groups.
 *
 * @param requested the first port; `0`: any ports, for tests
 * @throws FrameworkError `local.port_taken`
 */
export async function findPorts(requested: number | undefined): Promise<Ports> {
  for (const first of firstPorts(requested)) {
    const ports = { ...OFFSETS };
    for (const door of Object.keys(OFFSETS) as (keyof Ports)[]) ports[door] += first;
    const free = await Promise.all(Object.values(ports).map(isFree));
    if (free.every((one) => one)) return ports;
    if (requested === first) {
      const taken = Object.values(ports).filter((_, index) => !free[index]);
      throw localError('local.port_taken', `port ${taken.join(', ')} is already in use: choose another with --port`);
    }
  }
  throw localError(
    'local.port_taken',
    `the ports ${FIRST} to ${FIRST + TRIES * 10 - 1} are already in use: choose others with --port`,
  );
}

function firstPorts(requested: number | undefined): readonly number[] {
  if (requested === 0) return Array.from({ length: TRIES }, () => randomInt(ANY.first, ANY.last) * 10);
  return requested === undefined ? Array.from({ length: TRIES }, (_, index) => FIRST + index * 10) : [requested];
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
