import { throwMissing } from '@sallyport/core/internal';

/** @throws FrameworkError `app.missing_package` */
export function importS3(): Promise<typeof import('@aws-sdk/client-s3')> {
  return import('@aws-sdk/client-s3').catch(throwMissing('@aws-sdk/client-s3'));
}
