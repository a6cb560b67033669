import type { SecurePrincipal, SurfaceHost } from '@sallyport/core';
import { createSurfaceContext, isFailure, type SurfaceEvent } from '@sallyport/core/internal';
import type { Delivery } from '@sallyport/streams/delivery';
import { refused } from '../errors.js';

/** @throws FrameworkError for a registration without posture if postures are required, or with a posture if they are not supported */
export function assertPosture({ gate }: SurfaceHost, posture: unknown, place: string): void {
  if (gate) gate.assertPosture(posture, place);
  else if (posture !== undefined) throw refused(`invalid auth posture: ${place}: only SecureApp accepts a posture`);
}

/** The result of the gate: the caller, or the error with which the gate rejects. */
export type Passed = { readonly principal: SecurePrincipal | null } | { readonly thrown: unknown };

/** Runs the gate of the container for one event; without a gate every caller passes, without a principal. */
export async function passGate(
  host: SurfaceHost | undefined,
  delivery: Delivery,
  posture: unknown,
  event: SurfaceEvent,
): Promise<Passed> {
  if (!host?.gate) return { principal: null };
  const made = createSurfaceContext(host, event);
  try {
    await host.gate.authorize(posture, made.context);
    return { principal: made.principal };
  } catch (thrown) {
    if (isFailure(thrown)) delivery.logRefusal(thrown as never, event.lambdaContext);
    return { thrown };
  } finally {
    await made.end();
  }
}
