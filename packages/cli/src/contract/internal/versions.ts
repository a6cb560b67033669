import { parseContractFile, type StoredContract, sourcesOf } from '@sallyport/contract/service';
import type { Around } from '../../internal/command.js';
import type { CommandLine } from '../../internal/command-line.js';
import { openBucket, type StoredObject } from './bucket.js';
import { asUsage } from './service-contract.js';

/** The longest retention of a queue: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html */
const RETENTION_DAYS = 14;
const DAY_MS = 86_400_000;
/** The key of an older version, below its stage: `production/versions/3f0c….json`. */
const VERSION = /^(?<stage>.*?)versions\/[0-9a-f]+\.json$/;

/** The key of a version below its stage. */
export const versionKey = (digest: string) => `versions/${digest}.json`;

/**
 * Reads the contracts in a bucket. A bucket has a contract for each stage, for each client that recorded what it uses, and for each version
 * that a stage replaced within the retention. A replaced version does not run any more: only its messages count, which can be in flight.
 *
 * @throws FrameworkError `cli.usage` for a contract of another version, `cli.aws_failed`
 */
export async function contractsInBucket(
  place: string,
  line: CommandLine,
  around: Around,
): Promise<readonly StoredContract[]> {
  const days = line.number('retention-days', { least: 0, most: 365 }) ?? RETENTION_DAYS;
  const bucket = await openBucket(place, line, around);
  const objects = await bucket.list();
  const read = async (key: string) => {
    const [at, text] = [`${place.replace(/\/$/, '')}/${key}`, await bucket.get(key)];
    return { place: at, contract: asUsage(() => parseContractFile(text, at)) };
  };
  const found: StoredContract[] = [];
  for (const { key } of objects) if (/(?:^|\/)contract\.json$/.test(key)) found.push(await read(key));
  for (const { key } of replacedWithin(objects, Date.now() - days * DAY_MS)) {
    const { place: at, contract } = await read(key);
    found.push({ place: at, contract: sourcesOf(contract) });
  }
  return found;
}

/** The versions that were replaced after a time: a version is written again with each deployment, so the next one replaced it. */
export function replacedWithin(objects: readonly StoredObject[], since: number): readonly StoredObject[] {
  const stages = new Map<string, StoredObject[]>();
  for (const object of objects) {
    const stage = VERSION.exec(object.key)?.groups?.stage;
    if (stage !== undefined) stages.set(stage, [...(stages.get(stage) ?? []), object]);
  }
  return [...stages.values()].flatMap((versions) => {
    const sorted = versions.toSorted((a, b) => a.writtenAt - b.writtenAt);
    return sorted.filter((_, index) => (sorted[index + 1]?.writtenAt ?? Number.NEGATIVE_INFINITY) >= since);
  });
}
