import { REGION } from '../../aws/names.js';
import { type AwsService, notServed, type Output } from '../../aws/service.js';
import {
  createBucket,
  deleteBucket,
  deleteObjects,
  getVersioning,
  listBuckets,
  listObjects,
  listVersions,
  putVersioning,
} from './buckets.js';
import { abortUpload, completeUpload, createUpload, listParts, uploadPart } from './multipart.js';
import { copyObject, deleteObject, getObject, putObject } from './objects.js';
import { emptyAnswer, type ObjectRequest, type S3Context, type S3Request, toS3Request, xmlAnswer } from './request.js';
import { verifySignature } from './upload.js';

/** One operation: its name in the API, and the requests that match it. */
interface Operation<R> {
  readonly name: string;
  readonly method: string;
  /** The query parameter that selects the operation; `''` for the default operation of the method. */
  readonly parameter: string;
  /** A header that selects the operation instead of the default. */
  readonly header?: string;
  readonly run: (request: R) => Output | Promise<Output>;
}

/** Operations of a bucket, in the order of matching. */
const OF_BUCKETS: readonly Operation<ObjectRequest>[] = [
  { name: 'GetBucketVersioning', method: 'GET', parameter: 'versioning', run: getVersioning },
  { name: 'PutBucketVersioning', method: 'PUT', parameter: 'versioning', run: putVersioning },
  { name: 'GetBucketLocation', method: 'GET', parameter: 'location', run: () => xmlAnswer('LocationConstraint', {}) },
  { name: 'ListObjectVersions', method: 'GET', parameter: 'versions', run: listVersions },
  { name: 'DeleteObjects', method: 'POST', parameter: 'delete', run: deleteObjects },
  { name: 'ListObjectsV2', method: 'GET', parameter: '', run: listObjects },
  { name: 'HeadBucket', method: 'HEAD', parameter: '', run: () => emptyAnswer(200, { 'x-amz-bucket-region': REGION }) },
  { name: 'DeleteBucket', method: 'DELETE', parameter: '', run: deleteBucket },
];

/** Operations of an object, in the order of matching. */
const OF_OBJECTS: readonly Operation<ObjectRequest>[] = [
  { name: 'CreateMultipartUpload', method: 'POST', parameter: 'uploads', run: createUpload },
  { name: 'UploadPart', method: 'PUT', parameter: 'uploadId', run: uploadPart },
  { name: 'CompleteMultipartUpload', method: 'POST', parameter: 'uploadId', run: completeUpload },
  { name: 'AbortMultipartUpload', method: 'DELETE', parameter: 'uploadId', run: abortUpload },
  { name: 'ListParts', method: 'GET', parameter: 'uploadId', run: listParts },
  { name: 'CopyObject', method: 'PUT', parameter: '', header: 'x-amz-copy-source', run: copyObject },
  { name: 'PutObject', method: 'PUT', parameter: '', run: putObject },
  { name: 'GetObject', method: 'GET', parameter: '', run: getObject },
  { name: 'HeadObject', method: 'HEAD', parameter: '', run: getObject },
  { name: 'DeleteObject', method: 'DELETE', parameter: '', run: deleteObject },
];

/** Parameters of operations that are not served: without this list they would be treated as a plain read or write. */
const OTHERS =
  /^(?:acl|attributes|cors|encryption|inventory|legal-hold|lifecycle|logging|metrics|notification|object-lock|ownershipControls|policy|policyStatus|publicAccessBlock|replication|requestPayment|restore|retention|select|tagging|torrent|website|accelerate|analytics|uploads|intelligent-tiering|session)$/;

/** S3 on the files of a run. */
export function createS3(context: S3Context): AwsService {
  return {
    protocol: 'rest-xml',
    readsBody: true,
    serve(call): Output | Promise<Output> {
      verifySignature(call);
      const request = toS3Request(call, context);
      const resource = request.key === '' ? request.bucketName : `${request.bucketName}/${request.key}`;
      if (request.bucketName === '') {
        if (request.method !== 'GET') throw notServed(request.method);
        call.note({ operation: 'ListBuckets' });
        return listBuckets(request);
      }
      if (
        request.key === '' &&
        request.method === 'PUT' &&
        request.query.size <= 1 &&
        !request.query.has('versioning')
      ) {
        call.note({ operation: 'CreateBucket', resource });
        return createBucket(request);
      }
      const operation = findOperation(request);
      call.note({ operation: operation.name, resource });
      return operation.run({ ...request, bucket: context.store.get(request.bucketName) });
    },
  };
}

function findOperation({ key, method, query, headers }: S3Request): Operation<ObjectRequest> {
  const all = key === '' ? OF_BUCKETS : OF_OBJECTS;
  const named = all.find((each) => each.method === method && each.parameter !== '' && query.has(each.parameter));
  if (named) return named;
  const other = [...query.keys()].find((name) => OTHERS.test(name));
  if (other !== undefined) throw notServed(other);
  const plain = all.find(
    (each) =>
      each.method === method &&
      each.parameter === '' &&
      (each.header === undefined || headers[each.header] !== undefined),
  );
  if (!plain) throw notServed(method);
  return plain;
}
