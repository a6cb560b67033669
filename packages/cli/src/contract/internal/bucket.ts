import type * as S3 from '@aws-sdk/client-s3';
import { awsAccess } from '../../internal/aws-access.js';
import type { Around } from '../../internal/command.js';
import type { CommandLine } from '../../internal/command-line.js';
import { invalidUsage } from '../../internal/errors.js';

/** An object below a prefix. */
export interface StoredObject {
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly writtenAt: number;
}

/** A part of a bucket: `s3://contracts/orders`. Keys are relative to the prefix. */
export interface Bucket {
  put(key: string, text: string): Promise<void>;
  get(key: string): Promise<string>;
  list(): Promise<readonly StoredObject[]>;
}

/** True for `s3://…`. */
export const isBucketUrl = (place: string) => place.startsWith('s3://');

/** @throws FrameworkError `cli.usage` for an address without a bucket, `cli.client_missing` */
export async function openBucket(place: string, line: CommandLine, around: Around): Promise<Bucket> {
  const [, Bucket = '', path = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]+)(?:\/(.*?))?\/*$/.exec(place) ?? [];
  if (Bucket === '') throw invalidUsage(`${place} names no bucket: pass s3://bucket/prefix`);
  const prefix = path === '' ? '' : `${path}/`;
  const access = await awsAccess(line, around);
  const s3 = await access.load<typeof S3>('@aws-sdk/client-s3');
  // A server at another address has no name for each bucket.
  const client = new s3.S3Client({ ...access.settings, forcePathStyle: access.settings.endpoint !== undefined });
  const at = (key: string) => ({ Bucket, Key: `${prefix}${key}` });
  return {
    async put(key, text) {
      const command = new s3.PutObjectCommand({ ...at(key), Body: text, ContentType: typeOf(key) });
      await access.call(`s3:PutObject ${prefix}${key}`, (options) => client.send(command, options));
    },
    async get(key) {
      const command = new s3.GetObjectCommand(at(key));
      return access.call(`s3:GetObject ${prefix}${key}`, async (options) => {
        const { Body } = await client.send(command, options);
        return (await Body?.transformToString()) ?? '';
      });
    },
    async list() {
      const found: StoredObject[] = [];
      let ContinuationToken: string | undefined;
      do {
        const input = { Bucket, Prefix: prefix, ...(ContinuationToken !== undefined && { ContinuationToken }) };
        const page: S3.ListObjectsV2CommandOutput = await access.call(`s3:ListObjectsV2 ${place}`, (options) =>
          client.send(new s3.ListObjectsV2Command(input), options),
        );
        for (const { Key = '', LastModified } of page.Contents ?? [])
          found.push({ key: Key.slice(prefix.length), writtenAt: LastModified?.getTime() ?? 0 });
        ContinuationToken = page.NextContinuationToken;
      } while (ContinuationToken !== undefined);
      return found;
    },
  };
}

const TYPES: Readonly<Record<string, string>> = { json: 'application/json', js: 'text/javascript' };
const typeOf = (key: string) => TYPES[/\.(\w+)$/.exec(key)?.[1] ?? ''] ?? 'text/plain; charset=utf-8';
