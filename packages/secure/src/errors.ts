import type { AppCode } from '@sallyport/core';
import type { LEFT_OUT } from '@sallyport/core/internal';
import type { INVALID_CONFIGURATION } from '@sallyport/core/options';

/** Every code with which the closed container rejects a call or its own construction, and when. */
export type SecureErrorCode =
  /** The request has no principal, or a principal of an unknown kind. */
  | Extract<AppCode, 'app.unauthorized'>
  /** Scopes, kind or tenant of the principal are not sufficient, or the token is for another audience. */
  | Extract<AppCode, 'app.forbidden'>
  /** The resolver did not return before the deadline. */
  | Extract<AppCode, 'app.timeout'>
  /** The keys for the verification of a token cannot be fetched. */
  | Extract<AppCode, 'app.overloaded'>
  /** The resolver failed in another way. */
  | Extract<AppCode, 'app.internal'>
  /** Registration: a posture that is missing or not created by this package, a duplicate route. The message contains the operation. */
  | Extract<AppCode, 'app.bad_request'>
  /** Construction, registration and `generateOpenAPI`: the bundle was built without the part that is used. The message names the export condition. */
  | typeof LEFT_OUT
  /** Construction: `invalid secure configuration: <reason>`. OpenAPI: `secure openapi …`. Registration: too many arguments, a second posture. */
  | typeof INVALID_CONFIGURATION;
