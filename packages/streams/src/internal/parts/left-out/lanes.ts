import type { createLaneRun as create } from '../lanes.js';

/** Without surfaces there are no durable executions. */
export const createLaneRun: typeof create = () => undefined;
