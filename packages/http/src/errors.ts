import type { AppCode } from '@sallyport/core';
import type { LEFT_OUT, MISSING_PACKAGE } from '@sallyport/core/internal';
import type { INVALID_CONFIGURATION } from '@sallyport/core/options';

/** Every code that this package answers with or throws, with its cause. */
export type HttpErrorCode =
  /** The request cannot be read: invalid base64, a body that does not match its media type, a value that cannot be converted. At registration: an invalid or duplicate route. */
  | Extract<AppCode, 'app.bad_request'>
  /** The route has `authRequired`, and the `authHook` identified no caller. */
  | Extract<AppCode, 'app.unauthorized'>
  /** No route has this path. */
  | Extract<AppCode, 'app.not_found'>
  /** The path has routes of other methods only. The answer has the header `allow`. */
  | Extract<AppCode, 'app.method_not_allowed'>
  /** The timeout of `timeoutMiddleware` or of the invocation was exceeded. */
  | Extract<AppCode, 'app.timeout'>
  /** The body of the request, a form or the answer exceeds a limit, or the answer exceeds the limit of the front door. */
  | Extract<AppCode, 'app.too_large'>
  /** The operation does not accept the media type of the body; the header `accept` lists the accepted types. */
  | Extract<AppCode, 'app.unsupported_media_type'>
  /** A value breaks the schema of `bind`. `details.errors` lists source, field, rule and message. */
  | Extract<AppCode, 'app.validation_failed'>
  /** A handler threw something that is not a FrameworkError, or its answer breaks the response schema. */
  | Extract<AppCode, 'app.internal'>
  /** The event is a call of a Lambda authorizer: `type` is `REQUEST` or `TOKEN`, with `methodArn` or `routeArn`. Serve it with a separate function. */
  | 'http.authorizer_event'
  /** The event is an action of an Amazon Bedrock agent: it has `actionGroup` and `messageVersion`. Serve it with a separate function. */
  | 'http.action_group_event'
  /** The event has `httpMethod` but no string `path`, at its top level or in `requestContext`. */
  | 'http.event_without_path'
  /** Construction, registration and `ctx.bodyForm()`: the bundle was built without the part that is used. The message names the export condition. */
  | typeof LEFT_OUT
  /** Construction and registration: an option is unknown or has a wrong value. */
  | typeof INVALID_CONFIGURATION;

/** Every code of messages to WebSocket connections, with its cause. */
export type WebSocketErrorCode =
  /** AWS rejected a request, or did not answer (status 0). The message contains operation and status, never the payload. */
  | 'websocket.request_failed'
  /** The message exceeds 128 KiB. It is rejected before it is sent. @status 413 */
  | 'websocket.too_large'
  /** The message is not a `Uint8Array`. */
  | 'websocket.invalid_message'
  /** The connection id is empty, or a connection key is incomplete. */
  | 'websocket.invalid_connection'
  /** `sendMessage` of `ctx.asWebSocket()`: the connection no longer exists. @status 410 */
  | 'websocket.gone'
  /** The package `@aws-sdk/client-apigatewaymanagementapi` is not installed. The next call looks for it again. */
  | typeof MISSING_PACKAGE;
