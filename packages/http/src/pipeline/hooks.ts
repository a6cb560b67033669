import { type Context, isFrameworkError, type MaybePromise, type MultiMap, type Result } from '@sallyport/core';
import {
  canonicalizeResponse,
  closeStream,
  guardHook,
  internalError,
  logFailure,
  OutgoingResponse,
  toHeaderMap,
  toResponse,
} from '@sallyport/core/pipeline';
import { isPromise } from '../routing/registration.js';
import { type AskHook, type Decorate, type Exchange, reportFailure } from './run.js';

/**
 * Gives the answer of a failed request, or `undefined` for the default one. It gets what was thrown: a `FrameworkError` of
 * the framework's own (401, 403, 404, 405, 413, …), or anything that the application threw.
 */
export type ErrorHook = (ctx: Context, error: unknown) => MaybePromise<Awaited<Result> | undefined>;

/** Gives the answer to a path that no route has, or `undefined` for the default 404. */
export type NotFoundHook = (ctx: Context) => MaybePromise<Awaited<Result> | undefined>;

/** What `onResponse` sees of an answer. Headers and cookies may be changed; status and body are decided. */
export interface FinalResponse {
  /** The HTTP status. */
  readonly status: number;
  /** Lists of values by names in lower case; a copy that is sent when the hook has returned. */
  readonly headers: MultiMap;
  /** Whole `set-cookie` values; a copy that is sent when the hook has returned. */
  readonly cookies: string[];
}

/** Sees every answer right before it leaves. It is not awaited: what it does after its first `await` comes too late. */
export type ResponseHook = (ctx: Context, response: FinalResponse) => unknown;

/** The hooks of HTTP, as a container's options have them. */
export interface HttpHooks {
  /** Asked for the answer of a failed request. */
  readonly onError?: ErrorHook | undefined;
  /** Asked for the answer to a path that no route has. */
  readonly notFound?: NotFoundHook | undefined;
  /** Sees every answer. */
  readonly onResponse?: ResponseHook | undefined;
}

/** The hooks as the pipeline calls them; `undefined` where the application has none. None of them throws or rejects. */
export interface HookStages {
  /** `onError`. */
  readonly askOnError: AskHook | undefined;
  /** `notFound`, then `onError`. */
  readonly askNotFound: AskHook | undefined;
  /** `onResponse`. */
  readonly showResponse: Decorate | undefined;
}

/** The hooks of a container as stages. What they throw is logged, and the answer is what it were without them. */
export function createHooks({ onError, notFound, onResponse }: HttpHooks): HookStages {
  const askOnError = onError && toAsk('onError', onError);
  const own = notFound && toAsk('notFound', notFound);
  const askNotFound: AskHook | undefined =
    own && askOnError
      ? (exchange, error) => {
          const answer = own(exchange, error);
          if (isPromise(answer)) return answer.then((given) => given ?? askOnError(exchange, error));
          return answer ?? askOnError(exchange, error);
        }
      : (own ?? askOnError);
  return { askOnError, askNotFound, showResponse: onResponse && toDecorate(onResponse) };
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

/** The answer of a hook, once it is known that it can be sent and does not make a success of an error. */
function accept(exchange: Exchange, name: string, thrown: unknown, given: unknown): OutgoingResponse | undefined {
  if (given === undefined) return undefined;
  const response = canonicalizeResponse(toResponse(given), exchange.state.request.method);
  const { status, headers, bodyStream } = response;
  if (bodyStream) {
    void closeStream(bodyStream);
    throw internalError(`the answer of ${name} is a stream; give text or bytes`);
  }
  if (status < 300) {
    throw internalError(`${name} answered ${status}; an error is answered with a status from 300 to 599`);
  }
  const { error } = exchange;
  if (error?.status === status) {
    // `allow`, `www-authenticate` and `retry-after` belong to the status, whoever words the answer.
    const brought = toHeaderMap(error.headers);
    for (const key of Object.keys(brought)) headers[key] ??= brought[key] as string[];
  }
  if (status >= 500 || isFrameworkError(thrown)) reportFailure(exchange, thrown);
  else {
    // The application expected what its own code threw. It stays visible, and counts as no failure.
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

/** One `error` line for a hook that failed; the answer is what it were without the hook. */
function reportHook({ ctx }: Exchange, name: string, failure: unknown): undefined {
  logFailure(() => ctx.log, `framework: hook ${name} failed`, failure);
  return undefined;
}
