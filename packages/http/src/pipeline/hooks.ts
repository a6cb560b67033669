import { type Context, isFrameworkError, type MaybePromise, type MultiMap, type Result } from '@sallyport/core';
import {
  canonicalizeResponse,
  closeStream,
  guardHook,
  internalError,
  isPromise,
  logFailure,
  OutgoingResponse,
  toHeaderMap,
  toResponse,
} from '@sallyport/core/internal';
import { defineOptions, func } from '@sallyport/core/options';
import { type AskHook, type Decorate, type Exchange, reportFailure } from './run.js';

/**
 * Returns the answer of a failed request, or `undefined` for the default answer. It receives the thrown value: a `FrameworkError`
 * of the framework (401, 403, 404, 405, 413, …), or any error of the application.
 */
export type ErrorHook = (ctx: Context, error: unknown) => MaybePromise<Awaited<Result> | undefined>;

/** Returns the answer for an unknown path, or `undefined` for the default 404. */
export type NotFoundHook = (ctx: Context) => MaybePromise<Awaited<Result> | undefined>;

/** The answer that `onResponse` receives. It may change headers and cookies, but not status and body. */
export interface FinalResponse {
  /** The HTTP status. */
  readonly status: number;
  /** Lists of values by names in lower case. It is a copy, and is sent after the hook has returned. */
  readonly headers: MultiMap;
  /** Whole `set-cookie` values. It is a copy, and is sent after the hook has returned. */
  readonly cookies: string[];
}

/** Receives every answer right before it is sent. It is not awaited: changes after its first `await` have no effect. */
export type ResponseHook = (ctx: Context, response: FinalResponse) => unknown;

/** The hooks of HTTP, as a container's options have them. */
export interface HttpHooks {
  /** Called for every failed or rejected request; may return the answer. `undefined` keeps the default answer. */
  readonly onError?: ErrorHook | undefined;
  /** Called for an unknown path; may return the answer. `undefined` keeps the default 404. */
  readonly notFound?: NotFoundHook | undefined;
  /** Called with every answer right before it is sent, also errors and preflights; may set headers and cookies. */
  readonly onResponse?: ResponseHook | undefined;
}

/** Validators for each of {@link HttpHooks}. */
export const HOOK_KINDS = {
  onError: func<ErrorHook>(),
  notFound: func<NotFoundHook>(),
  onResponse: func<ResponseHook>(),
};

/** Validators and defaults for {@link HttpHooks}. */
export const HOOK_OPTIONS = defineOptions<HttpHooks>()(HOOK_KINDS);

/** The result of `hooks`: the hooks in the form that the pipeline calls. */
export interface HookStages {
  /** Calls `notFound` for unknown paths, then `onError`; `undefined` if neither returns an answer. */
  readonly askOnError: AskHook | undefined;
  /** Calls `onResponse`. */
  readonly showResponse: Decorate | undefined;
}

/**
 * The option `hooks` of a router: `onError`, `notFound` and `onResponse`, which are separate options in containers. An
 * error in a hook is logged, and the answer is the same as without the hook.
 *
 * @example createHttpRouter({ hooks: hooks({ notFound: () => text(404, 'nothing here'), onResponse: secureHeaders() }) });
 * @throws FrameworkError `app.invalid_configuration` for an unknown option, and for anything but functions
 */
export function hooks(options: HttpHooks): HookStages {
  const { onError, notFound, onResponse } = HOOK_OPTIONS.parse(options);
  return { askOnError: toAskBoth(onError, notFound), showResponse: onResponse && toDecorate(onResponse) };
}

function toAskBoth(onError: ErrorHook | undefined, notFound: NotFoundHook | undefined): AskHook | undefined {
  const ask = onError && toAsk('onError', onError);
  if (!notFound) return ask;
  const askNotFound = toAsk('notFound', notFound);
  return (exchange, thrown) => {
    const isUnknownPath = exchange.registration === undefined && exchange.error?.code === 'app.not_found';
    const answer = isUnknownPath ? askNotFound(exchange, thrown) : undefined;
    if (isPromise(answer)) return answer.then((given) => given ?? ask?.(exchange, thrown));
    return answer ?? ask?.(exchange, thrown);
  };
}

function toAsk(name: string, hook: ErrorHook): AskHook {
  return (exchange, thrown) => {
    const fail = (failure: unknown) => reportHook(exchange, name, failure);
    try {
      const answer = hook(exchange.ctx, thrown);
      if (!isPromise(answer)) return accept(exchange, name, thrown, answer);
      return answer.then((given) => accept(exchange, name, thrown, given)).catch(fail);
    } catch (failure) {
      return fail(failure);
    }
  };
}

/** Checks the answer of a hook: it must be valid, and must not turn an error into a success. */
function accept(exchange: Exchange, name: string, thrown: unknown, given: unknown): OutgoingResponse | undefined {
  if (given === undefined) return undefined;
  const response = canonicalizeResponse(toResponse(given), exchange.state.request.method);
  const { status, headers, bodyStream } = response;
  if (bodyStream) {
    void closeStream(bodyStream);
    throw internalError(`the answer of ${name} is a stream; return text or bytes`);
  }
  if (status < 300) {
    throw internalError(`${name} answered ${status}; an error is answered with a status from 300 to 599`);
  }
  const { error } = exchange;
  if (error?.status === status) {
    // `allow`, `www-authenticate` and `retry-after` belong to the status, even if the hook creates the answer.
    const brought = toHeaderMap(error.headers);
    for (const key of Object.keys(brought)) headers[key] ??= brought[key] as string[];
  }
  if (status >= 500 || isFrameworkError(thrown)) reportFailure(exchange, thrown);
  else {
    // The application expected its own exception: it is logged, but does not count as a failure.
    exchange.error = undefined;
    guardHook(() => exchange.ctx.log.warn('framework: request failed, answered by onError', { error: thrown }));
  }
  return response;
}

function toDecorate(hook: ResponseHook): Decorate {
  return (exchange, response) => {
    try {
      const view = Object.freeze({
        status: response.status,
        headers: toHeaderMap(response.headers),
        cookies: [...response.cookies],
      });
      const result = hook(exchange.ctx, view);
      if (isPromise(result)) result.catch((failure) => reportHook(exchange, 'onResponse', failure));
      const checked = canonicalizeResponse(new OutgoingResponse(view.status, view.headers, '', view.cookies), '');
      response.headers = checked.headers;
      response.cookies = checked.cookies;
    } catch (failure) {
      reportHook(exchange, 'onResponse', failure);
    }
  };
}

/** One `error` line for a hook that failed; the answer is the same as without the hook. */
function reportHook({ ctx }: Exchange, name: string, failure: unknown): undefined {
  logFailure(() => ctx.log, `framework: hook ${name} failed`, failure);
  return undefined;
}
