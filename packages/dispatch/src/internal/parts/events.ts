import { createLateSurface, type LateSurface } from '@sallyport/core/internal';
import {
  EVENT_ROUTER_OPTION_KINDS,
  type EventMiddleware,
  type EventRouter,
  type EventRouterOptions,
} from '@sallyport/streams';
import { type CreateObserver, createObserver, prepareEventRouter } from '@sallyport/streams/delivery';

/** The observer for the surfaces of the option `surfaces`. */
export function observerForSurfaces(): CreateObserver {
  return createObserver;
}

/** Validators and defaults of the options of event registrations. */
export const EVENT_KINDS = EVENT_ROUTER_OPTION_KINDS;

/** The kinds that an event router serves. */
const KINDS = ['queue', 'table-stream', 'stream', 'topic', 'event-bus'];

/**
 * The event router of a container. Options and variables are checked now.
 *
 * @param middlewares the list that `useEvents` extends
 * @throws FrameworkError `app.invalid_configuration` for a wrong variable
 */
export function createEvents(
  options: EventRouterOptions,
  failureText: string,
  middlewares: EventMiddleware[],
): LateSurface<EventRouter> {
  return createLateSurface(KINDS, prepareEventRouter(options, failureText, middlewares));
}
