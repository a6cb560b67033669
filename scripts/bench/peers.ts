import { resolve } from 'node:path';

export interface Peer {
  readonly name: string;
  /** Module that exports its `handlers`; relative to the bench, or an absolute path. */
  readonly module: string;
}

/** The floor is measured twice, first and last in each round: the difference is the noise. */
export const FLOOR: Peer = { name: 'bare', module: 'peers/bare.ts' };
export const FLOOR_AGAIN: Peer = { name: 'bare again', module: 'peers/bare.ts' };

export const OTHERS: readonly Peer[] = [
  { name: 'Middy', module: 'peers/middy.ts' },
  { name: 'lambda-api', module: 'peers/lambda-api.ts' },
  { name: 'Hono', module: 'peers/hono.ts' },
  { name: 'h3', module: 'peers/h3.ts' },
  { name: 'fastify', module: 'peers/fastify.ts' },
  { name: 'Powertools', module: 'peers/powertools.ts' },
  { name: 'express, serverless-http', module: 'peers/serverless-http.ts' },
  { name: 'express, codegenie', module: 'peers/codegenie.ts' },
  { name: 'OpenTelemetry', module: 'peers/opentelemetry.ts' },
];

/** The full tier, which is compared. */
const OURS: Peer = { name: 'ours', module: 'peers/ours-p2.ts' };

/** The leaner tiers, for work on them: measured only if named. */
const LEAN: readonly Peer[] = [
  { name: 'ours P1', module: 'peers/ours-p1.ts' },
  { name: 'ours P0', module: 'peers/ours-p0.ts' },
];

export const PEERS: readonly Peer[] = [FLOOR, ...OTHERS, OURS, FLOOR_AGAIN];

/** All peers that can be named. */
export const NAMED_PEERS: readonly Peer[] = [FLOOR, ...OTHERS, OURS, ...LEAN, FLOOR_AGAIN];

/** The full tier of another checkout of this project, so that a change can be compared with the version before it. */
export function oursOf(checkout: string): Peer {
  return { name: 'ours before', module: resolve(checkout, 'scripts/bench/peers/ours-p2.ts') };
}
