export { type S3Fault, S3Proxy, type SeenRequest, startS3Proxy } from './proxy.js';
export { createBucket, createS3TestClient, KMS_KEY_IDS, S3_CREDENTIALS, s3Endpoint } from './server.js';
