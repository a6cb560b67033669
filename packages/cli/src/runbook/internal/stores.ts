import { type Members, membersOf } from '@sallyport/core/internal';
import { physicalName, type Section, shell } from './parts.js';
import { type Service, shortId } from './service.js';

interface StoreFacts {
  readonly noun: string;
  readonly does: string;
  readonly look: (id: string) => readonly string[];
  readonly act: readonly string[];
  readonly lost: (properties: Members) => string;
}

const TABLE: StoreFacts = {
  noun: 'Table',
  does: 'Stores items of the service.',
  look: (id) => [
    'Throttled calls by operation:',
    shell(
      `aws cloudwatch get-metric-statistics --namespace AWS/DynamoDB --metric-name WriteThrottleEvents --dimensions Name=TableName,Value=${physicalName(id)} --start-time "$(date -u -d '-1 hour' +%FT%TZ)" --end-time "$(date -u +%FT%TZ)" --period 300 --statistics Sum`,
    ),
  ],
  act: [
    '**Find** the partition key that most calls use, and spread it; a table on demand doubles its capacity within 30 minutes.',
    '**Roll back** the data: restore to a point in time into a new table, and switch the name.',
  ],
  lost: ({ PointInTimeRecoverySpecification: recovery }) =>
    membersOf(recovery).PointInTimeRecoveryEnabled === true
      ? 'Throttled calls fail after their retries. Deleted items can be restored for 35 days.'
      : 'Throttled calls fail after their retries. Deleted items cannot be restored: the table has no recovery to a point in time.',
};

const STORES: Readonly<Record<string, StoreFacts>> = {
  'AWS::DynamoDB::Table': TABLE,
  'AWS::DynamoDB::GlobalTable': TABLE,
  'AWS::S3::Bucket': {
    noun: 'Bucket',
    does: 'Stores objects of the service.',
    look: (id) => [shell(`aws s3api list-objects-v2 --bucket ${physicalName(id)} --max-items 5`)],
    act: ['**Check** the policy and the key of the bucket if calls are denied.'],
    lost: ({ VersioningConfiguration: versioning }) =>
      membersOf(versioning).Status === 'Enabled'
        ? 'Nothing: earlier versions of an object are kept.'
        : 'An object that is overwritten or deleted is lost: the bucket keeps no versions.',
  },
  'AWS::S3Vectors::Index': {
    noun: 'Vector index',
    does: 'Stores vectors for searches.',
    look: () => ['Errors of the function name the call: search its log for `vectors.`.'],
    act: ['**Rebuild** the index from the objects or items that it was made of.'],
    lost: () => 'Searches return less or fail; the index can be built again.',
  },
  'AWS::SecretsManager::Secret': {
    noun: 'Secret',
    does: 'Stores a secret that the function reads.',
    look: (id) => [
      shell(
        `aws secretsmanager describe-secret --secret-id ${physicalName(id)} --query '[LastChangedDate,LastRotatedDate,DeletedDate]'`,
      ),
    ],
    act: [
      `**Roll back**: move the label AWSCURRENT to the previous version. **Restore** a deleted secret within its recovery window.`,
    ],
    lost: () => 'Environments that start cannot read the secret, so their calls fail.',
  },
};

/** Tables, buckets, vector indexes and secrets. */
export function storeSections(service: Service): readonly Section[] {
  return service.all(...Object.keys(STORES)).map((store) => {
    const { noun, does, look, act, lost } = STORES[store.type] ?? TABLE;
    return {
      group: 'Stores' as const,
      title: `${noun} ${shortId(store.id)}`,
      does,
      resources: [store.id],
      look: look(store.id),
      act,
      lost: lost(store.properties),
    };
  });
}
