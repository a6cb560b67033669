import { FrameworkError, INVALID_CONFIGURATION } from '@sallyport/core';

/** A specification that does not fit the application. */
export function secureOpenApiError(what: string): FrameworkError {
  return new FrameworkError(INVALID_CONFIGURATION, `framework: secure openapi ${what}`);
}
