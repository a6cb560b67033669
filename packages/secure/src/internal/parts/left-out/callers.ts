import type { callersOf as callers } from '../callers.js';

/** Without surfaces there are no durable executions. */
export const callersOf: typeof callers = (resolver) => resolver;
