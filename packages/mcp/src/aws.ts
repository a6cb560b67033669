/** Parts that need AWS clients, which are optional peers. */
export { type SecretFromArnOptions, type SecretsSender, secretFromArn } from './server/secret.js';
export { type S3McpSpillOptions, type S3Sender, s3McpSpill } from './store/s3-spill.js';
