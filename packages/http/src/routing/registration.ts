import type { Context, Handler, MaybePromise, Middleware, Route } from '@sallyport/core';
import { FrameworkError } from '@sallyport/core';
import type { OutgoingResponse } from '@sallyport/core/pipeline';
import { composeChain } from './middleware.js';

/** A handler with its middlewares around it. */
export type Run = (ctx: Context) => MaybePromise<OutgoingResponse>;

export interface RegistrationInit {
  readonly route: Route;
  readonly paramNames: readonly string[];
  readonly handler: Handler;
  /** Open container: the auth hook must name a caller. */
  readonly authRequired?: boolean;
  /** Secure container: what its gate checks. */
  readonly posture?: unknown;
  /** Whether the operation streams its answers; for inventories and deployments. */
  readonly streaming?: boolean;
}

/** What a container keeps of one HTTP, GraphQL or WebSocket operation. */
export interface Registration extends Required<RegistrationInit> {
  readonly run: Run;
}

/**
 * A refused registration.
 *
 * @param place the operation as its registration names it: `GET /notes/{id}`, `Query.note`, `$connect`
 */
export function registrationError(reason: string, place: string): FrameworkError {
  return new FrameworkError('app.bad_request', `framework: ${reason}: ${place}`);
}

/** @throws FrameworkError `app.bad_request` for anything but a function */
export function assertRouteHandler(handler: unknown, place: string): asserts handler is Handler {
  if (typeof handler !== 'function') throw registrationError('route handler must be a function', place);
}

/** The operations of a container and the middlewares around each of them; shared by its surfaces. */
export class RegistrationBook {
  readonly #middlewares: Middleware[] = [];
  readonly #registrations: { -readonly [K in keyof Registration]: Registration[K] }[] = [];

  /** Builds the chain once, here, and again only when a middleware is added. */
  register(init: RegistrationInit): Registration {
    const registration = {
      route: Object.freeze({ ...init.route }),
      paramNames: init.paramNames,
      handler: init.handler,
      authRequired: init.authRequired ?? false,
      posture: init.posture,
      streaming: init.streaming ?? false,
      run: composeChain(this.#middlewares, init.handler),
    };
    this.#registrations.push(registration);
    return registration;
  }

  /**
   * Adds a middleware inside those that are there, around every operation, also those registered before.
   *
   * @throws FrameworkError `app.bad_request` when it is no function
   */
  use(middleware: Middleware): void {
    if (typeof middleware !== 'function') {
      throw new FrameworkError('app.bad_request', 'framework: middleware must be a function');
    }
    this.#middlewares.push(middleware);
    for (const registration of this.#registrations) {
      registration.run = composeChain(this.#middlewares, registration.handler);
    }
  }

  /** In the order of registration. */
  get all(): readonly Registration[] {
    return this.#registrations;
  }
}
