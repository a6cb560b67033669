import { parseArgs } from 'node:util';
import { WORKLOADS, type WorkloadName } from './invoke.js';
import { FLOOR, FLOOR_AGAIN, NAMED_PEERS, oursOf, PEERS, type Peer } from './peers.js';

export interface BenchOptions {
  readonly workloads: readonly WorkloadName[];
  /** Workloads of which allocation is measured too, which doubles the time. */
  readonly counted: readonly WorkloadName[];
  readonly peers: readonly Peer[];
  readonly rounds: number;
  readonly quick: boolean;
  readonly cold: boolean;
  readonly json: string | undefined;
  readonly writeReadme: boolean;
}

export const USAGE = `npm run bench -- [options]
  --only <name>     a workload (${WORKLOADS.join(', ')}),
                    a peer (${[...new Set(NAMED_PEERS.map(({ name }) => name))].join('; ')}),
                    or cold; may be repeated. A peer is always measured beside bare
  --against <folder>
                    another checkout of this project with its packages installed: its \`ours\` is
                    measured as \`ours before\` in the same rounds, with that checkout's own bench
  --rounds <n>      rounds, 11 unless given
  --quick           few and short rounds, no cold start: for while you work
  --json <file>     writes everything that was measured
  --write-readme    writes the tables into scripts/bench/README.md
`;

/** Workloads with an allocation table. */
const COUNTED: readonly WorkloadName[] = ['get-v2', 'middleware-set'];

/** @throws Error for an unknown option or value */
export function parseOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', multiple: true, default: [] },
      against: { type: 'string' },
      rounds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      json: { type: 'string' },
      'write-readme': { type: 'boolean', default: false },
    },
  });
  const workloads = WORKLOADS.filter((name) => values.only.includes(name));
  const peers = NAMED_PEERS.filter(({ name }) => values.only.includes(name));
  const unknown = values.only.filter(
    (name) => name !== 'cold' && !workloads.some((w) => w === name) && !peers.some((peer) => peer.name === name),
  );
  if (unknown.length > 0) throw new Error(`nothing is called ${unknown.join(', ')}`);
  const rounds = Number(values.rounds ?? (values.quick ? 5 : 11));
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds wants a whole number above 0');
  const isWhole = values.only.length === 0 && !values.quick;
  return {
    counted: workloads.length > 0 ? workloads : COUNTED,
    workloads: workloads.length > 0 || values.only.includes('cold') ? workloads : WORKLOADS,
    peers: [
      ...(peers.length > 0 ? NAMED_PEERS.filter((peer) => [FLOOR, FLOOR_AGAIN, ...peers].includes(peer)) : PEERS),
      ...(values.against === undefined ? [] : [oursOf(values.against)]),
    ],
    rounds,
    quick: values.quick,
    cold: values.only.includes('cold') || isWhole,
    json: values.json,
    writeReadme: values['write-readme'],
  };
}
