import { randomUUID } from 'node:crypto';
import { REGION } from '../../aws/names.js';
import type { StoredChange } from './store.js';

/**
 * The S3 notification of a change, in the form that `s3Trigger` reads.
 *
 * @param order the number of the change in this run
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html
 */
export function toNotification({ bucket, key, event, version, versionId }: StoredChange, order: number): object {
  const isGone = event.startsWith('ObjectRemoved');
  const object = {
    key: encodeURIComponent(key).replaceAll('%20', '+').replaceAll('%2F', '/'),
    ...(!isGone && { size: version.size, eTag: version.eTag }),
    ...(versionId !== undefined && { versionId }),
    sequencer:
      `${version.modifiedAt.toString(16).padStart(12, '0')}${order.toString(16).padStart(6, '0')}`.toUpperCase(),
  };
  const record = {
    eventVersion: '2.1',
    eventSource: 'aws:s3',
    awsRegion: REGION,
    eventTime: new Date(version.modifiedAt).toISOString(),
    eventName: event,
    userIdentity: { principalId: 'AWS:AROALOCAL' },
    requestParameters: { sourceIPAddress: '127.0.0.1' },
    responseElements: { 'x-amz-request-id': randomUUID(), 'x-amz-id-2': 'local' },
    s3: {
      s3SchemaVersion: '1.0',
      configurationId: 'local',
      bucket: { name: bucket, ownerIdentity: { principalId: 'local' }, arn: `arn:aws:s3:::${bucket}` },
      object,
    },
  };
  return { Records: [record] };
}
