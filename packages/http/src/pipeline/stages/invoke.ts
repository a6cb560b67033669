import { STAGE } from '@sallyport/core/pipeline';
import { refused } from '../../internal/refused.js';
import type { Stage } from '../run.js';

/** Runs middlewares and handler; the stage's mark is left out at P0. */
export const invoke: Stage = ({ registration, ctx, span }) => {
  if (!registration) throw refused('no operation is registered for this event');
  return span ? span.run(() => registration.run(ctx)) : registration.run(ctx);
};

export const tracedInvoke: Stage = (exchange) => {
  exchange.state.passed |= STAGE.handler;
  return invoke(exchange);
};
