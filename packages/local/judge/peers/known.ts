/** A known difference, explained with AWS's documentation. */
export interface KnownDifference {
  readonly service: 'sqs' | 's3';
  readonly steps: RegExp;
  readonly members: RegExp;
  /** The value of our server; absent: any value. */
  readonly ours?: RegExp;
  /** The server that behaves as AWS; `either` if AWS documents no behaviour. */
  readonly right: 'ours' | 'peer' | 'either';
  /** The behaviour that AWS documents, and the reason if our server differs. */
  readonly text: string;
  /** The page in AWS's documentation. */
  readonly source: string;
}

const S3_API = 'https://docs.aws.amazon.com/AmazonS3/latest/API';
const S3_GUIDE = 'https://docs.aws.amazon.com/AmazonS3/latest/userguide';
const SQS_API = 'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference';
const RANGES = 'https://www.rfc-editor.org/rfc/rfc9110.html#section-14';

const QUEUES: readonly KnownDifference[] = [
  {
    service: 'sqs',
    steps: /^receive again$/,
    members: /^Messages\.0\.(MD5OfMessageAttributes|MessageAttributes\..*)$/,
    right: 'ours',
    text: 'MessageAttributeNames names the attributes to receive; without it none is returned.',
    source: `${SQS_API}/API_ReceiveMessage.html`,
  },
  {
    service: 'sqs',
    steps:
      /^(visibility too long|receive eleven|wait too long|empty body|too large .*|bad character|fifo without group|fifo with delay)$/,
    members: /^error$/,
    right: 'ours',
    text: 'The names are MissingParameter, InvalidParameterValue and InvalidMessageContents, without a prefix.',
    source: `${SQS_API}/CommonErrors.html`,
  },
  {
    service: 'sqs',
    steps: /^visibility of an unknown receipt$/,
    members: /^error$/,
    right: 'ours',
    text: 'ReceiptHandleIsInvalid: the receipt handle is not valid. MessageNotInflight is for an existing message.',
    source: `${SQS_API}/API_ChangeMessageVisibility.html`,
  },
  {
    service: 'sqs',
    steps: /^(delay too long|batch with a bad entry)$/,
    members: /./,
    right: 'ours',
    text: 'DelaySeconds is 0 to 900; each entry of a batch succeeds or fails on its own.',
    source: `${SQS_API}/API_SendMessageBatch.html`,
  },
  {
    service: 'sqs',
    steps: /^fifo without deduplication$/,
    members: /./,
    right: 'peer',
    text: 'Without ContentBasedDeduplication and an id the action fails. Kept: a local FIFO queue has no attributes, and uses the digest of the content as id.',
    source: `${SQS_API}/API_SendMessage.html`,
  },
  {
    service: 'sqs',
    steps: /^(url of|send to) a missing queue$/,
    members: /./,
    right: 'peer',
    text: 'QueueDoesNotExist. Kept: a queue is created when it is first named, because queues of other services are not registered here.',
    source: `${SQS_API}/API_GetQueueUrl.html`,
  },
];

const OBJECTS: readonly KnownDifference[] = [
  {
    service: 's3',
    steps: /^create bucket/,
    members: /^Location$/,
    right: 'ours',
    text: 'The answer has Location, a slash and the name of the bucket.',
    source: `${S3_API}/API_CreateBucket.html`,
  },
  {
    service: 's3',
    steps: /^put with a long key$/,
    members: /^error$/,
    right: 'ours',
    text: 'KeyTooLongError: your key is too long.',
    source: `${S3_API}/ErrorResponses.html`,
  },
  {
    service: 's3',
    steps: /^put if other than a tag$/,
    members: /./,
    right: 'ours',
    text: 'If-None-Match of a write expects an asterisk; another value is not implemented.',
    source: `${S3_API}/API_PutObject.html`,
  },
  {
    service: 's3',
    steps: /^put if match, the same$/,
    members: /./,
    right: 'ours',
    text: 'The object is written when the ETag matches. radosgw does not accept the quotes of an ETag.',
    source: `${S3_API}/API_PutObject.html`,
  },
  {
    service: 's3',
    steps: /^put if match, missing key$/,
    members: /./,
    right: 'ours',
    text: 'If-Match for a key without a current object fails with 404.',
    source: `${S3_GUIDE}/conditional-writes.html`,
  },
  {
    service: 's3',
    steps: /^range bytes=3-1$/,
    members: /./,
    right: 'ours',
    text: 'S3 refers to HTTP: a range whose end is before its start is invalid, and an invalid Range is ignored.',
    source: `${RANGES}.1.1`,
  },
  {
    service: 's3',
    steps: /^range lines=1-2$/,
    members: /^ContentRange$/,
    right: 'ours',
    text: 'S3 refers to HTTP: an unknown unit is ignored; only 206 and 416 have Content-Range.',
    source: `${RANGES}.4`,
  },
  {
    service: 's3',
    steps: /^range bytes=0-0,2-2$/,
    members: /./,
    right: 'either',
    text: 'S3 does not support several ranges in one GET, and does not document the response.',
    source: `${S3_API}/API_GetObject.html`,
  },
  {
    service: 's3',
    steps: /^range bytes=-0$/,
    members: /./,
    right: 'ours',
    text: 'S3 refers to HTTP: a suffix of length 0 cannot be satisfied, and is answered with 416.',
    source: `${RANGES}.1.2`,
  },
  {
    service: 's3',
    steps: /^delete three$/,
    members: /^Deleted\.\d\.Key$/,
    right: 'either',
    text: 'The answer contains each deleted key; an order is not promised.',
    source: `${S3_API}/API_DeleteObjects.html`,
  },
];

const exactly = (text: string) => new RegExp(`^${text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`);

/** One entry for each step and member, so that a wrong or missing checksum is detected. */
function checksumsOf(steps: readonly string[], sums: Readonly<Record<string, string>>): readonly KnownDifference[] {
  return steps.flatMap((step) =>
    Object.entries(sums).map(([name, sum]) => ({
      service: 's3' as const,
      steps: exactly(step),
      members: exactly(`Checksum${name}`),
      ours: exactly(sum),
      right: 'ours' as const,
      text: 'An uploaded checksum is stored, and returned at the upload and to a reader who enables it, as the SDK does.',
      source: `${S3_GUIDE}/checking-object-integrity.html`,
    })),
  );
}

const HELLO = [
  ...['put', 'get', 'get with checksums', 'put what is matched', 'put if match, the same', 'get if modified, earlier'],
  ...['range bytes=3-1', 'range lines=1-2', 'range bytes=0-0,2-2', 'copy, read', 'copy with other metadata, read'],
];
const X = ['put without type', 'get without type', 'put if absent, not there'];
const ZERO = ['put before versions', 'version get null'];
const ONE = ['version put', 'version get the first'];
const TWO = ['version put again', 'version get', 'version get after the marker'];
const Type = 'FULL_OBJECT';
const both = (algorithm: string) => [`checksum ${algorithm} right`, `checksum ${algorithm} given back`];

/** The checksums were computed with zlib; the checksums of the nine digits are the check values of the CRC catalogue. */
const CHECKSUMS: readonly KnownDifference[] = [
  ...checksumsOf(HELLO, { CRC32: 'NhCmhg==', Type }),
  ...checksumsOf(X, { CRC32: 'jNwWgw==', Type }),
  ...checksumsOf(['put empty', 'get empty'], { CRC32: 'AAAAAA==', Type }),
  ...checksumsOf(ZERO, { CRC32: 'q97xkg==', Type }),
  ...checksumsOf(ONE, { CRC32: 'emyG8Q==', Type }),
  ...checksumsOf(TWO, { CRC32: 'EcqKZg==', Type }),
  ...checksumsOf(['put a/1'], { CRC32: '9ZZAUg==', Type }),
  ...checksumsOf(['put a/2'], { CRC32: 'bJ8R6A==', Type }),
  ...checksumsOf(['put a/b/3'], { CRC32: 'fL5QvQ==', Type }),
  ...checksumsOf(['put ab'], { CRC32: 'noNIbQ==', Type }),
  ...checksumsOf(['multipart part'], { CRC32: '6Le+Qw==' }),
  ...checksumsOf(['multipart second part'], { CRC32: 'cb7v+Q==' }),
  ...checksumsOf(['multipart large part'], { CRC32: 'BwQzxA==' }),
  ...checksumsOf(['multipart last part'], { CRC32: 'APwzsQ==' }),
  ...checksumsOf(both('CRC32'), { CRC32: 'y/Q5Jg==', Type }),
  ...checksumsOf(both('CRC32C'), { CRC32C: '4waSgw==', Type }),
  ...checksumsOf(both('CRC64NVME'), { CRC64NVME: 'rosUhgp5mIg=', Type }),
  ...checksumsOf(both('SHA1'), { SHA1: '98O8HYCOBHMq32eZZczDTKeuNEE=', Type }),
  ...checksumsOf(both('SHA256'), { SHA256: 'FeKw08M4keuw8e9gnsQZQgwg4yDOlMZfvIwzEkSOsiU=', Type }),
  ...Object.entries({ error: 'BadDigest', status: '400', ETag: '-' }).map(([member, value]) => ({
    service: 's3' as const,
    steps: /^(checksum .* wrong|link with other bytes)$/,
    members: exactly(member),
    ours: exactly(value),
    right: 'ours' as const,
    text: 'BadDigest: the sent checksum does not match the checksum that S3 calculated.',
    source: `${S3_API}/ErrorResponses.html`,
  })),
];

const UPLOADS: readonly KnownDifference[] = [
  {
    service: 's3',
    steps: /^multipart part 10001$/,
    members: /./,
    right: 'ours',
    text: 'A part number is 1 to 10,000.',
    source: `${S3_API}/API_UploadPart.html`,
  },
  {
    service: 's3',
    steps: /^multipart with a too small part$/,
    members: /^error$/,
    right: 'ours',
    text: 'EntityTooSmall: each part but the last has at least 5 MB.',
    source: `${S3_API}/API_CompleteMultipartUpload.html`,
  },
  {
    service: 's3',
    steps: /^multipart in the wrong order$/,
    members: /./,
    right: 'ours',
    text: 'InvalidPartOrder: the list of parts was not in ascending order.',
    source: `${S3_API}/API_CompleteMultipartUpload.html`,
  },
  {
    service: 's3',
    steps: /^multipart complete after the abort$/,
    members: /./,
    right: 'ours',
    text: 'NoSuchUpload with 404: the upload was aborted or completed.',
    source: `${S3_API}/API_CompleteMultipartUpload.html`,
  },
  {
    service: 's3',
    steps: /^(multipart complete|copy|copy with other metadata|copy onto itself)$/,
    members: /ETag$/,
    right: 'ours',
    text: 'An ETag is quoted, in the XML examples too.',
    source: `${S3_API}/API_CopyObject.html`,
  },
  {
    service: 's3',
    steps: /^copy if match, another$/,
    members: /./,
    right: 'ours',
    text: 'A copy whose x-amz-copy-source-if-match does not match is rejected with 412.',
    source: `${S3_API}/API_CopyObject.html`,
  },
];

const VERSIONS: readonly KnownDifference[] = [
  {
    service: 's3',
    steps: /^version get the marker$/,
    members: /./,
    right: 'ours',
    text: 'A GET that names the version of a delete marker is answered with 405, MethodNotAllowed.',
    source: `${S3_API}/API_GetObject.html`,
  },
  {
    service: 's3',
    steps: /^version get the deleted$/,
    members: /^error$/,
    right: 'ours',
    text: 'NoSuchVersion: the version ID does not match an existing version.',
    source: `${S3_API}/ErrorResponses.html`,
  },
  {
    service: 's3',
    steps: /^version list/,
    members: /^(KeyMarker|VersionIdMarker)$/,
    right: 'either',
    text: 'Both mark the last key of a truncated list; the two servers differ in an empty element.',
    source: `${S3_API}/API_ListObjectVersions.html`,
  },
];

/** All accepted differences. The first matching entry explains a difference. */
export const KNOWN: readonly KnownDifference[] = [...QUEUES, ...CHECKSUMS, ...OBJECTS, ...UPLOADS, ...VERSIONS];
