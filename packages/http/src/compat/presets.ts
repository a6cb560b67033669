import { type Context, type FrameworkError, isFrameworkError, type ResponseInput } from '@sallyport/core';
import { statusPhrase } from '../pipeline/error-body.js';
import { html, json, text } from '../responses/responses.js';

/** Options of a container that answer like another framework; spread them before your own options. */
export interface CompatOptions {
  /** `HEAD` runs the route of `GET`, as in the older framework. */
  readonly autoHead: true;
  /** Answers failures with the body of the older framework. Call it from your own `onError` for errors that are not yours. */
  readonly onError: (ctx: Context, error: unknown) => ResponseInput;
  /** Answers unknown paths like the older framework. */
  readonly notFound: (ctx: Context) => ResponseInput;
}

type Render = (ctx: Context, status: number, message: string, error: FrameworkError | undefined) => ResponseInput;

/** The older frameworks do not answer 405: a method without a route is an unknown path. */
function preset(render: Render, notFound: (ctx: Context) => ResponseInput): CompatOptions {
  return {
    autoHead: true,
    notFound,
    onError(ctx, thrown) {
      const error = isFrameworkError(thrown) ? thrown : undefined;
      if (error?.code === 'app.method_not_allowed' && ctx.route === null) return notFound(ctx);
      const status = error?.status ?? 500;
      // The message of an exception never reaches a client.
      return render(ctx, status, error !== undefined && status < 500 ? error.message : '', error);
    },
  };
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** The page of Express for errors: https://expressjs.com/en/guide/error-handling.html. */
function expressPage(status: number, message: string): ResponseInput {
  const line = message.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
  const page = [
    '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Error</title>\n</head>',
    `<body>\n<pre>${line}</pre>\n</body>\n</html>\n`,
  ].join('\n');
  return html(status, page);
}

const expressNotFound = (ctx: Context) => expressPage(404, `Cannot ${ctx.request.method} ${ctx.request.path}`);

/**
 * Express: error pages of HTML, 404 for methods without a route, `HEAD` by `GET`. Express ignores a slash at the end of a path: state
 * `trailingSlash` on each route.
 *
 * @example const app = new SecureApp({ ...expressCompat, principalResolver });
 */
export const expressCompat: CompatOptions = preset(
  (_ctx, status, message) => expressPage(status, message || (statusPhrase(status) ?? 'Error')),
  expressNotFound,
);

/**
 * Hono: errors are text, 404 for methods without a route, `HEAD` by `GET`.
 *
 * @example const app = new SecureApp({ ...honoCompat, principalResolver });
 */
export const honoCompat: CompatOptions = preset(
  (_ctx, status, message) => text(status, status >= 500 ? (statusPhrase(status) ?? '') : message),
  () => text(404, '404 Not Found'),
);

/**
 * Middy with `http-error-handler` and `http-router`: errors are the text of their message, a failure of the server has no body.
 *
 * @example const app = new SecureApp({ ...middyCompat, principalResolver });
 */
export const middyCompat: CompatOptions = preset(
  (_ctx, status, message) => (message === '' ? { status } : messageOf(status, message)),
  () => text(404, 'Route does not exist'),
);

/** A message that is JSON is sent as JSON. */
function messageOf(status: number, message: string): ResponseInput {
  const type = /^\s*[[{]/.test(message) ? 'application/json' : 'text/plain';
  return { status, headers: { 'content-type': type }, body: message };
}

/** The names of Powertools' errors. */
const NAMES: Readonly<Record<number, string>> = {
  400: 'BadRequestError',
  401: 'UnauthorizedError',
  403: 'ForbiddenError',
  404: 'NotFoundError',
  405: 'MethodNotAllowedError',
  408: 'RequestTimeoutError',
  413: 'RequestEntityTooLargeError',
  422: 'RequestValidationError',
  503: 'ServiceUnavailableError',
};

/**
 * The event handler of Powertools: errors are `{ statusCode, error, message, details }`, 404 for methods without a route.
 *
 * @example const app = new SecureApp({ ...powertoolsCompat, principalResolver });
 */
export const powertoolsCompat: CompatOptions = preset(
  (_ctx, status, message, error) => {
    const phrase = statusPhrase(status) ?? '';
    const name =
      (Object.hasOwn(NAMES, status) && status < 500 ? NAMES[status] : undefined) ?? phrase.replaceAll(' ', '');
    if (status >= 500) return json(status, { statusCode: status, error: phrase, message: phrase });
    return json(status, { statusCode: status, error: name, message, details: error?.details });
  },
  (ctx) => {
    const { method, path } = ctx.request;
    return json(404, {
      statusCode: 404,
      error: 'NotFoundError',
      message: `Route ${path} for method ${method} not found`,
    });
  },
);
