import { s3Trigger } from '@sallyport/triggers/s3';

export const handler = s3Trigger().bucket('uploads', () => {}).handleLambda;
