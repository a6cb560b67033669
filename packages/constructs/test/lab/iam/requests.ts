/** The requests of one role: each access to a resource with your key also needs actions on the key. */
import type { AccessRequest } from './decide.js';
import type { Access } from './recorded.js';
import type { TemplatePolicies } from './template-policies.js';

/** The actions on your key that an access needs, by reading and writing. */
const KEYS: Readonly<Record<string, { readonly read: readonly string[]; readonly write: readonly string[] }>> = {
  // https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html; CreateGrant is needed only to create a table
  dynamodb: {
    read: ['kms:Decrypt', 'kms:DescribeKey'],
    write: ['kms:Encrypt', 'kms:ReEncryptFrom', 'kms:GenerateDataKey', 'kms:Decrypt', 'kms:DescribeKey'],
  },
  stream: { read: ['kms:Decrypt'], write: [] },
  // https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html
  sqs: { read: ['kms:Decrypt'], write: ['kms:GenerateDataKey', 'kms:Decrypt'] },
  // https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html
  sns: { read: [], write: ['kms:GenerateDataKey', 'kms:Decrypt'] },
  // https://docs.aws.amazon.com/streams/latest/dev/permissions-user-key-KMS.html
  kinesis: { read: ['kms:Decrypt'], write: ['kms:GenerateDataKey'] },
  // https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingKMSEncryption.html
  s3: { read: ['kms:Decrypt'], write: ['kms:GenerateDataKey', 'kms:Decrypt'] },
  // https://docs.aws.amazon.com/AmazonS3/latest/userguide/s3-vectors-data-encryption.html
  s3vectors: { read: ['kms:Decrypt'], write: ['kms:GenerateDataKey', 'kms:Decrypt'] },
  // https://docs.aws.amazon.com/secretsmanager/latest/userguide/security-encryption.html
  secretsmanager: { read: ['kms:Decrypt'], write: ['kms:GenerateDataKey', 'kms:Decrypt'] },
};
/** Deleting an item or an object does not decrypt it; the others of these services read. */
const WRITES = /:(Put|Update(?!SecretVersionStage)|Send|Publish)/;
const TOUCHES_NO_KEY =
  /:(s3:Delete|Delete(Object|Message|Vectors)|List|Describe|GetQueueAttributes|GetShardIterator|UpdateSecretVersionStage|GetRandomPassword)/;

/** The ARN of the key of a resource of the template. */
function keyOf(policies: TemplatePolicies, id: string): string | undefined {
  const properties = policies.properties(id);
  const found = JSON.stringify([
    properties.SSESpecification,
    properties.KmsMasterKeyId,
    properties.KmsKeyId,
    properties.StreamEncryption,
    properties.BucketEncryption,
    properties.EncryptionConfiguration,
  ]);
  const arn = /arn:aws:kms:[^"]+/.exec(found)?.[0];
  if (arn !== undefined) return arn;
  const named = policies.ids('AWS::KMS::Key').find((key) => found.includes(`"${key}"`));
  return named === undefined ? undefined : policies.arnOf(named);
}

/** Collects the requests of a role. */
export class RequestList {
  readonly all: AccessRequest[] = [];
  readonly #caller: string;

  constructor(
    readonly policies: TemplatePolicies,
    role: string,
  ) {
    this.#caller = `arn:aws:iam::123456789012:role/${role}`;
  }

  /** Adds a request, and those to the key of the resource. */
  add(action: string, resource: string, context: Readonly<Record<string, string>> = {}): void {
    this.all.push({
      action,
      resource,
      caller: this.#caller,
      context: { 'aws:SecureTransport': 'true', 's3:TlsVersion': '1.3', ...context },
    });
    const id = this.policies.idOf(resource);
    const key = id === undefined ? undefined : keyOf(this.policies, id);
    const [service = ''] = action.split(':');
    if (key === undefined || TOUCHES_NO_KEY.test(`:${action}`) || TOUCHES_NO_KEY.test(action)) return;
    // A stream is decrypted with the key of its table: https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html
    const kind = action === 'dynamodb:GetRecords' ? 'stream' : service;
    for (const one of KEYS[kind]?.[WRITES.test(action) ? 'write' : 'read'] ?? []) {
      const through = { 'kms:ViaService': `${service}.eu-west-1.amazonaws.com` };
      this.all.push({ action: one, resource: key, caller: this.#caller, context: through });
    }
  }

  /** Adds requests with the same resource. */
  addAll(actions: readonly string[], resource: string): void {
    for (const action of actions) this.add(action, resource);
  }

  /** Adds recorded accesses to a resource and its parts. */
  addRecorded(accesses: readonly Access[] | undefined, base: string): void {
    for (const { action, part } of accesses ?? []) this.add(action, `${base}${part}`);
  }
}
