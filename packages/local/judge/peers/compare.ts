import type { KnownDifference } from './known.js';

/** Values that the steps of a run pass on: receipts, versions, upload ids. */
export type Memory = Record<string, string>;

/** One call, and the compared members of its response. */
export interface Step<Client> {
  readonly name: string;
  readonly run: (client: Client, memory: Memory) => Promise<unknown>;
}

/** A flattened response: `Messages.0.Body` → its value. */
type Answer = ReadonlyMap<string, string>;

/** A member of a response that differs between the two servers. */
export interface Difference {
  readonly service: string;
  readonly step: string;
  readonly member: string;
  readonly ours: string;
  readonly peer: string;
  readonly known: KnownDifference | undefined;
}

/** Members that differ between any two runs: only their presence is compared. */
const VARYING = /(.Id|Handle|SequenceNumber|Timestamp|LastModified|CreationDate|ContinuationToken|Marker|QueueUrl)$/;
/** Members that the SDK adds, and messages for humans. */
const LEFT_OUT = new Set(['attempts', 'totalRetryDelay', 'requestId', 'extendedRequestId', 'cfId', 'Message', 'Owner']);

function flatten(value: unknown, path: string, into: Map<string, string>): Map<string, string> {
  const name = path.slice(path.lastIndexOf('.') + 1);
  if (value === undefined || LEFT_OUT.has(name)) return into;
  if (name === '$metadata') return flatten((value as { httpStatusCode: number }).httpStatusCode, 'status', into);
  if (value instanceof Date) return into.set(path, '(time)');
  if (typeof value === 'object' && value !== null) {
    if (Array.isArray(value)) into.set(`${path}.length`, String(value.length));
    for (const [key, member] of Object.entries(value)) flatten(member, path === '' ? key : `${path}.${key}`, into);
    return into;
  }
  return into.set(path, VARYING.test(name) && typeof value === 'string' ? '(any)' : String(value));
}

/** The error of a call, as a separate member; an error that the service did not return is thrown. */
async function answerOf<Client>(step: Step<Client>, client: Client, memory: Memory): Promise<Answer> {
  try {
    return flatten(await step.run(client, memory), '', new Map());
  } catch (error) {
    const { name, $metadata } = error as { name: string; $metadata?: { httpStatusCode?: number } };
    if ($metadata === undefined) throw new Error(`${step.name}: no answer of the service`, { cause: error });
    return new Map([
      ['error', name],
      ['status', String($metadata.httpStatusCode)],
    ]);
  }
}

/** Sends the same calls to both servers, in the same order, and lists the differences. */
export async function compare<Client>(
  service: string,
  steps: readonly Step<Client>[],
  clients: { readonly ours: Client; readonly peer: Client },
  known: readonly KnownDifference[],
): Promise<readonly Difference[]> {
  const memories: [Memory, Memory] = [{}, {}];
  const differences: Difference[] = [];
  for (const step of steps) {
    const [ours, peer] = await Promise.all([
      answerOf(step, clients.ours, memories[0]),
      answerOf(step, clients.peer, memories[1]),
    ]);
    for (const [member, pair] of unequal(ours, peer)) {
      const entry = known.find((each) => each.service === service && matches(each, step.name, member, pair.ours));
      differences.push({ service, step: step.name, member, ...pair, known: entry });
    }
  }
  return differences;
}

function unequal(ours: Answer, peer: Answer): readonly [string, { ours: string; peer: string }][] {
  return [...new Set([...ours.keys(), ...peer.keys()])]
    .map((member): [string, { ours: string; peer: string }] => [
      member,
      { ours: ours.get(member) ?? '-', peer: peer.get(member) ?? '-' },
    ])
    .filter(([, pair]) => pair.ours !== pair.peer);
}

function matches(known: KnownDifference, step: string, member: string, ours: string): boolean {
  return known.steps.test(step) && known.members.test(member) && (known.ours?.test(ours) ?? true);
}
