import { s3Trigger } from '@sallyport/triggers';

export const handler = s3Trigger().bucket('uploads', () => {}).handleLambda;
