import { missingPackage } from '@sallyport/core/internal';

/** @throws FrameworkError `app.missing_package` */
export async function importS3(): Promise<typeof import('@aws-sdk/client-s3')> {
  try {
    return await import('@aws-sdk/client-s3');
  } catch (cause) {
    throw missingPackage('@aws-sdk/client-s3', cause);
  }
}
