import type { EventContext } from '@sallyport/streams';

/** Runs once a day. Change the time in infra/stack.ts. */
export const __HANDLER__ = (ctx: EventContext) => {
  ctx.log.info('__HANDLER__ ran');
};
