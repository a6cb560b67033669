import { missingPackage } from '@sallyport/core/pipeline';

/** Loads something once, at the first call. A failure is tried again at the next call. */
export function lazily<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

/** @throws FrameworkError `app.missing_package` */
export async function importS3(): Promise<typeof import('@aws-sdk/client-s3')> {
  try {
    return await import('@aws-sdk/client-s3');
  } catch (cause) {
    throw missingPackage('@aws-sdk/client-s3', cause);
  }
}
